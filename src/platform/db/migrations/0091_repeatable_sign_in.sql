-- A client may show one Sign-In with Ethereum message several times to read, as published ones do before and after
-- an approval. Its nonce then stays, bound to this message, until it expires.
alter table sign_in.nonces add column message_hash bytea;
