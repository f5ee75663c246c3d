-- Which contracts a follower has read from its first block on: one that comes to them is read from there, too.
alter table chain.followers add column contracts text[] not null default '{}';
