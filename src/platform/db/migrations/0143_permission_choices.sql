-- Up Migration

-- What users let a key do, chosen before they add it. Every account that knows the address of a request may answer it, so each has a
-- choice of its own: that of the account which adds the key counts.
create table signers.permission_choices (
  signer_id uuid not null references signers.signers on delete cascade,
  fid bigint not null,
  -- Null is everything.
  permissions text[],
  primary key (signer_id, fid)
);

insert into signers.permission_choices (signer_id, fid, permissions)
select id, permissions_fid, permissions
from signers.signers
where permissions_fid is not null;
