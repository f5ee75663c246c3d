-- The most trusted users, best first: what older clients know as active or power users.
create index users_by_score on social.users (score desc, fid desc) where score >= 0.9;
