-- Up Migration

create schema subscriptions;

-- Addresses that have received a token of a followed subscription contract. How long a subscription lasts is read
-- from the contract.
create table subscriptions.subscribers (
  network text not null,
  contract bytea not null,
  account bytea not null,
  -- Time of the first token, in Unix seconds.
  subscribed_at bigint not null,
  block bigint not null,
  primary key (network, contract, account)
);

create index subscribers_by_account on subscriptions.subscribers (account);
create index subscribers_by_time on subscriptions.subscribers (network, contract, subscribed_at desc, account);

-- Down Migration

drop schema subscriptions cascade;
