-- Names that say what they hold: tables, columns and indexes whose names were words of our own.
alter schema upstream rename to sync;
alter table sync.followed rename to selected_users;
alter table sync.selected_users rename constraint followed_pkey to selected_users_pkey;
alter index sync.followed_by_via rename to selected_users_by_via;
alter table sync.selected_users drop constraint followed_reason_check;
update sync.selected_users
set reason = case reason when 'asked' then 'configured' when 'touch' then 'interaction' else reason end;
alter table sync.selected_users add constraint selected_users_reason_check
  check (reason in ('configured', 'channel', 'follow', 'interaction'));
alter table sync.fids rename column suspect to reconcile_reason;
alter table sync.fids rename column suspected_at to queued_at;
alter index sync.fids_suspect rename to fids_queued;

alter table hub.taken rename to applied_offsets;
alter index hub.taken_by_place rename to applied_offsets_by_last_id;
alter table hub.pruned rename to pruned_messages;
alter index hub.pruned_pkey rename to pruned_messages_pkey;
alter table hub.shards rename column dropped_below to first_retained_id;

alter table search.leaders rename to top_users_by_prefix;
alter index search.leaders_pkey rename to top_users_by_prefix_pkey;
alter table search.known rename to popular_users;
alter index search.known_pkey rename to popular_users_pkey;
alter index search.known_by_likeness rename to popular_users_by_similarity;
alter index social.users_by_likeness rename to users_by_similarity;
alter index social.users_by_place rename to users_by_location;

alter table accounts.shelf rename to fid_pool;
alter index accounts.shelf_pkey rename to fid_pool_pkey;
alter index accounts.shelf_fid_key rename to fid_pool_fid_key;
alter table accounts.fid_pool rename constraint shelf_held_by_fkey to fid_pool_held_by_fkey;
alter table accounts.fid_pool rename constraint shelf_paid_by_fkey to fid_pool_paid_by_fkey;
alter index accounts.shelf_free rename to fid_pool_free;
alter index accounts.shelf_held rename to fid_pool_held;
alter index accounts.shelf_ordered rename to fid_pool_ordered;
alter table accounts.registrations rename column shelf_id to pool_entry_id;
alter table accounts.registrations rename constraint registrations_shelf_id_fkey to registrations_pool_entry_id_fkey;
alter table accounts.wallets rename column shelf_size to fid_pool_size;
alter table accounts.wallets rename constraint wallets_shelf_size_check to wallets_fid_pool_size_check;
alter table accounts.transactions rename column asked to request_key;
update accounts.transactions set purpose = 'fid pool ' || substr(purpose, 7) where purpose like 'shelf %';

alter table miniapps.paces rename to rate_windows;
alter index miniapps.paces_pkey rename to rate_windows_pkey;
alter table miniapps.past_tokens rename to replaced_tokens;

alter table webhooks.events rename column noticed_at to detected_at;
alter table webhooks.webhooks rename column off_reason to disabled_reason;
alter index webhooks.deliveries_lost rename to deliveries_undelivered;
alter index webhooks.deliveries_once rename to deliveries_by_event;

alter table inbox.notifications rename column outranked_by to suppressed_by;

alter schema assets rename to tokens;
alter table tokens.tokens rename column kept_for to tracked_by;
alter table tokens.tokens rename constraint tokens_kept_for_check to tokens_tracked_by_check;
alter table tokens.tokens rename column asked_at to requested_at;
alter table tokens.trades rename column told to published;
alter index tokens.trades_untold rename to trades_unpublished;

alter schema relations rename to moderation;
