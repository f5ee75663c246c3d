-- Up Migration

-- Users of one point in the order of their fids. A point is a hundredth of a degree; in a city thousands share one.
drop index social.users_by_location;
create index users_by_location on social.users (geo_cell, latitude, longitude, fid) where geo_cell is not null;
