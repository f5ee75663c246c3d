// Written by `npm run console:types` from the OpenAPI document. Do not edit.

export interface paths {
    "/v2/social/cast/search/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search for casts
         * @description Full-text search. `a b` or `a + b` matches casts with both words, `a | b` with either, `"a b"` with the phrase, `-a` without the word, `gard*` with a word that starts so; parentheses group. `from:name` matches casts by a user, several of them casts by any of the users, `-from:name` casts by others. `after:2026-10-01` and `before:2026-11-01T12:00:00Z` limit the time, in UTC unless a zone is given. Case does not matter; meaningless punctuation is ignored. An emoji is a word; scripts without spaces match by any part of the text. `word~1` matches words of recent casts that differ in at most so many letters (2 at most), `"some words"~2` a phrase with up to so many other words in it (a long phrase allows for fewer). The name of a mentioned user matches as in the text of the reply. `~1` and names of mentioned users count for the first eight different words. `sort_type=algorithmic` ranks the newest 2,000 casts found by `(1 + likes + 2 * recasts + 2 * quotes + 3 * replies) / (age in hours + 2)^1.5`. `semantic` finds the 200 casts whose meaning is nearest to the text among the newest 20,000 that the filters let through; `hybrid` merges them with the 200 best of the newest 2,000 with the words, by reciprocal rank fusion: each list adds `1 / (60 + place)`. Casts after the first page are not added while paging, but each page ranks anew: with `algorithmic`, a cast that rises over the cursor is missing from the next pages; with `hybrid`, some are missing if casts before them are removed or hidden, and some come again if casts get their vector meanwhile.
         */
        get: operations["getCastSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/cast/conversation/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lookup conversation for a cast
         * @description A URL is a cast’s page in a client, on any host: `https://…/<username>/0x<hash>` or `https://…/~/conversations/0x<hash>`. Its hash may be shortened to 8 digits or more, beside a username to 6; of several matching casts, the newest is used. Pages hold direct replies. Each reply has up to `limit` replies of its own, down to `reply_depth`, at most 500 casts on a page. `sort_type=algorithmic` puts casts with the most likes, recasts and replies first, of the latest 1,000 replies to each, counted as of each page: a reply that rises over the cursor meanwhile is missing from the next pages. Above the fold are replies by the author of the cast, by users whom the viewer follows, and by users whose score is unknown or at least 0.5. `fold=below` selects direct replies only and shows all replies to them. With `fold`, a page in order of time looks at 1,000 direct replies: it may have fewer than `limit`, or none, and a cursor.
         */
        get: operations["getCastConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/casts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Bulk fetch casts by hashes
         * @description Unknown casts are left out. `sort_type=trending` ranks by reactions and replies that decay with age, as `feed/trending` does. Equal ranks are ordered newest first.
         */
        get: operations["getCasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/followers/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch followers of a channel
         * @description Most recent follow first.
         */
        get: operations["getChannelFollowers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch all channels with their details
         * @description Channels with the most followers first.
         */
        get: operations["getChannelList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lookup channel by id or parent URL
         * @description Any parent URL of the channel finds it.
         */
        get: operations["getChannel"];
        put?: never;
        /**
         * Create a channel
         * @description The user of the signer leads the channel. This operation is Plaza’s own; the hosted API has none. A parent URL that names another channel by its id is refused.
         */
        post: operations["postChannel"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a channel
         * @description Requires the signer of the channel’s lead. Absent members stay as they are; null removes one. The lead and further parent URLs are set by the operator. In a channel of the protocol the signer publishes name, description, image and pinned cast as messages, and a moderator may pin. This operation is Plaza’s own; the hosted API has none.
         */
        patch: operations["patchChannel"];
        trace?: never;
    };
    "/v2/social/channel/search/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search channels by id or name
         * @description Matches any part of the id or the name. Channels that start with the text come first; equal matches are ordered by followers, most first.
         */
        get: operations["getChannelSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/feed/user/casts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch casts of a user chronologically
         * @description Newest first. `parent_url` and `channel_id` exclude each other.
         */
        get: operations["getFeedUserCasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/feed/user/replies_and_recasts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch replies and recasts of a user
         * @description Newest first. A recast brings a cast of somebody else in, at the time of the first recast. The feed has each cast once.
         */
        get: operations["getFeedUserRepliesAndRecasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/followers/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch followers of a user
         * @description Newest follow first. `sort_type=algorithmic` sorts each block of a thousand follows, newest block first, by `(1 + ln(1 + followers)) * (0.1 + score)`, highest first. Both count as of each page: a user who rises over the cursor meanwhile is missing from the next pages. `app` is the app that the follow was made with.
         */
        get: operations["getFollowers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/following/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch users that a user is following
         * @description Newest follow first. `sort_type=algorithmic` sorts each block of a thousand follows, newest block first, by `(1 + ln(1 + followers)) * (0.1 + score)`, highest first. Both count as of each page: a user who rises over the cursor meanwhile is missing from the next pages. `app` is the app that the follow was made with.
         */
        get: operations["getFollowing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/reactions/cast/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch reactions for cast
         * @description Newest first. An unknown cast has no reactions.
         */
        get: operations["getReactionsCast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/storage/allocations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lookup storage allocations of user
         * @description All rents of storage, newest first. `total_active_units` counts units that have not expired.
         */
        get: operations["getStorageAllocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/storage/usage/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lookup storage usage of user
         * @description `total_active_units` counts unexpired units, as `storage/allocations` does. `capacity` is what they allow, without units that are lent and with borrowed ones. Signers are limited by the key registry instead of storage.
         */
        get: operations["getStorageUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/user/bulk-by-address/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Bulk fetch users by Eth or Sol addresses
         * @description Maps each address to its users: first the user whose custody address it is, then users who have verified it, oldest verification first, at most 100. Keys of Ethereum addresses are in lower case, also if the request has checksums. Addresses without a user are left out.
         */
        get: operations["getUserBulkByAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/user/bulk/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Bulk fetch users by fids
         * @description Returns users in the order of `fids`. Fids that are not registered are left out.
         */
        get: operations["getUserBulk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/user/search/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search for usernames
         * @description Order: the exact username, usernames that start with the text, display names that start with it, then (from three letters on) names and words of display names that are similar. Equal matches are ordered by users whom the viewer follows, then by `(1 + ln(1 + followers)) * (0.1 + score)`. Case does not matter. If more than 100 names share a prefix, the 50 best known are searched.
         */
        get: operations["getUserSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/ban/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban fids from app
         * @description Hides the users, their casts and their reactions from all feeds, lists and searches of the app that the API key belongs to. Other apps are not affected. If one fid is not registered, nobody is banned.
         */
        post: operations["postBan"];
        /**
         * Unban fids from app
         * @description Ends bans of the app that the API key belongs to. Unbanning a user who is not banned succeeds.
         */
        delete: operations["deleteBan"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/ban/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch banned fids of app
         * @description Users whom the app of the API key bans, newest ban first.
         */
        get: operations["getBanList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/mute/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch muted fids of user
         * @description Newest mute first.
         */
        get: operations["getMuteList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/block/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch blocked or blocking fids
         * @description Newest first. `blocker_fid` or `blocked_fid` is required; with both, the reply has the one block between them, if there is one.
         */
        get: operations["getBlockList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/notifications/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch notifications for user
         * @description Newest first. All follows form one notification, likes and recasts one for each cast; such a group is placed at its newest entry, `count` is its size, and the newest 8 entries are shown. A cast that replies to, quotes and mentions the user is one notification, of the first of these types that is requested. A group that gets an entry while paging may be missing from the next pages, and one whose newest entry is undone may come again. Undone actions disappear, and so do users whom this user blocks or mutes or who block it. `unseen_notifications_count` counts the same selection, up to 100.
         */
        get: operations["getNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/member/invite/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Accept or reject an invite to a channel
         * @description Requires the signer of the invited user. An answer is final; changing it takes a new invite. A user may invite, answer and remove 100 times an hour in a channel, including refused calls; more calls are a 429. In a channel of the protocol, to accept is to join, which the channel must allow, and to reject is to leave; both publish a message.
         */
        put: operations["putChannelMemberInvite"];
        /**
         * Invite user to a channel
         * @description The owner and moderators may invite as members users who follow the channel or the inviter. Only the owner may invite members to become moderators; a channel has at most ten active and invited moderators. A user has one open invite to a channel at a time. Inviting a user who is already invited, or has the role or a higher one, succeeds without effect. A user may invite, answer and remove 100 times an hour in a channel, including refused calls; more calls are a 429. In a channel of the protocol there are no invites: the signer publishes a message, and the user has the role at once.
         */
        post: operations["postChannelMemberInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/member/invite/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch open invites to channels
         * @description Newest first. `channel_id` or `invited_fid` is required; with both, the reply has the one open invite of the user to the channel, if there is one.
         */
        get: operations["getChannelMemberInviteList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/member/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch members of a channel
         * @description Newest member first, including the owner and moderators. With `fid`, only this user, if it is a member.
         */
        get: operations["getChannelMemberList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/member/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove user from a channel
         * @description Ends a role or withdraws an open invite to it. The owner and moderators may remove members; only the owner may remove moderators or withdraw their invites. `role=moderator` turns a moderator into a member; `role=member` ends the membership whatever the role, and any open invite. A removed user needs a new invite to return. Members may leave, and moderators may step down, with their own signer. A user may invite, answer and remove 100 times an hour in a channel, including refused calls; more calls are a 429. In a channel of the protocol the signer publishes messages, a removed user may be added again, and a moderator can only leave: the owner alone ends the role of a moderator.
         */
        delete: operations["deleteChannelMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/ban/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban a user from a channel
         * @description A banned user loses the membership and cannot become a member, and feeds and searches of the channel leave out its casts. Only channels of the protocol have moderation; others are a 400. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postChannelBan"];
        /**
         * End a ban from a channel
         * @description The user may become a member again. Only channels of the protocol have moderation; others are a 400. This operation is Plaza’s own; the hosted API has none.
         */
        delete: operations["deleteChannelBan"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/channel/hide/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hide a cast from a channel
         * @description Feeds and searches of the channel leave the cast out. Elsewhere it is shown. Only channels of the protocol have moderation; others are a 400. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postChannelHide"];
        /**
         * Show a hidden cast in a channel
         * @description Takes the hiding of a cast back. Only channels of the protocol have moderation; others are a 400. This operation is Plaza’s own; the hosted API has none.
         */
        delete: operations["deleteChannelHide"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a webhook
         * @description Returns one webhook of the app, with its secrets and its subscription.
         */
        get: operations["getWebhook"];
        /**
         * Update a webhook
         * @description Replaces name, URL and filters. Without `subscription`, the filters stay as they are.
         */
        put: operations["putWebhook"];
        /**
         * Create a webhook
         * @description The webhook gets events from now on. Without `subscription`, it gets only test events.
         */
        post: operations["postWebhook"];
        /**
         * Delete a webhook
         * @description Deletes a webhook of the app. Deliveries that wait are not sent.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update webhook status
         * @description Activates or deactivates a webhook. Deactivating cancels waiting deliveries; after activation, `POST webhook/deliveries/redeliver` sends them.
         */
        patch: operations["patchWebhook"];
        trace?: never;
    };
    "/v2/social/webhook/list/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch webhooks of the app
         * @description All webhooks of the app that the API key belongs to, on one page.
         */
        get: operations["getWebhookList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/secret/rotate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description Creates a new signing secret. During the grace period deliveries are signed with both secrets, so that receivers can be changed without a refused delivery. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postWebhookSecretRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/deliveries/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch deliveries of a webhook
         * @description Newest first. Finished deliveries are kept for `WEBHOOK_RETENTION_DAYS`. With `type` or `status`, a page may have fewer deliveries than its limit, also none, and a `next`: one request reads at most 20,000. This operation is Plaza’s own; the hosted API has none.
         */
        get: operations["getWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/delivery/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a delivery of a webhook
         * @description One delivery, with the request and the response of its last attempt. This operation is Plaza’s own; the hosted API has none.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/deliveries/redeliver/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver webhook events
         * @description Sends one delivery again, by `delivery_id`, whatever its result; or, by `webhook_id` and `since`, all deliveries that failed or were canceled. Deliveries keep their ids. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postWebhookDeliveriesRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/test/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook
         * @description Sends a sample event, signed like any delivery, whatever the filters of the webhook. Its `event_id` starts with `test-`. `GET webhook/deliveries` shows the result. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/webhook/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the events that filters match
         * @description Matches filters against the events of the last three days, newest first, for a few seconds and 5,000 trades at most; `complete` and `since` tell how far it came. Nothing is stored or sent. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postWebhookPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/frame/notification_tokens/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mini app notification tokens
         * @description One entry for each user and client app that has granted a token, including disabled and invalid ones. Ordered by fid.
         */
        get: operations["getFrameNotificationTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/frame/notification_tokens/count/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count mini app notification tokens by client
         * @description The tokens of each client app by state, the client with the most enabled tokens first. This operation is Plaza’s own; the hosted API has none.
         */
        get: operations["getFrameNotificationTokensCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/frame/notifications/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get notification campaign stats
         * @description One campaign by id, or all of them, newest first. Counts are current, also while a campaign runs.
         */
        get: operations["getFrameNotifications"];
        put?: never;
        /**
         * Send notifications to mini app users
         * @description Tries each token of the audience once: `success_count`, `failure_count` and `not_attempted_count` add up to it. A user with several client apps is notified by each one that has notifications enabled. Tokens that a client would refuse because of its rate limits are not sent to and count as rate limited. With `ASYNC_NOTIFICATIONS_ENABLED`, more than 100 tokens become a queued campaign.
         */
        post: operations["postFrameNotifications"];
        /**
         * Cancel a notification campaign
         * @description Stops sending. Requests in progress are finished and counted; the rest counts as not attempted. This operation is Plaza’s own; the hosted API has none.
         */
        delete: operations["deleteFrameNotifications"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/frame/notifications/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the audience of a notification
         * @description Counts the tokens of each client app that a notification would be sent to now, and the reasons for leaving out others. Nothing is sent. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postFrameNotificationsPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/frame/notifications/map/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Map the audience of a notification
         * @description Counts the users with enabled notifications by the locations of their profiles, in cells of 2 degrees. Cells with fewer than 5 users are left out. Nothing is sent. This operation is Plaza’s own; the hosted API has none.
         */
        post: operations["postFrameNotificationsMap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/fungible/owner/relevant/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch relevant owners of a fungible
         * @description Users behind the 5,000 largest addresses, ordered by the sum of the token over their custody and verified addresses, largest first: the first 10 as full users, and up to 200 as dehydrated ones. With `viewer_fid`, owners whom the viewer follows come first.
         */
        get: operations["getFungibleOwnerRelevant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/social/fungible/trades/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get fungible trades
         * @description The newest 100 trades of the token by users, in the pools that this server watches. The sender of the transaction is the trader. A trade is valued by its better known token: dollar tokens by their amount, others by their last trade. A token without such a pool has none.
         */
        get: operations["getFungibleTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List apps
         * @description All apps, ordered by name.
         */
        get: operations["getAdminApps"];
        put?: never;
        /**
         * Create an app
         * @description The new app has no key. Without `developer_uuid`, it gets a new one.
         */
        post: operations["postAdminApps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an app
         * @description Returns one app by its id.
         */
        get: operations["getAdminAppsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an app
         * @description Absent members stay as they are; null removes `fid` or `mini_app_domain`.
         */
        patch: operations["patchAdminAppsId"];
        trace?: never;
    };
    "/admin/apps/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys of an app
         * @description Oldest first, including revoked keys.
         */
        get: operations["getAdminAppsIdKeys"];
        put?: never;
        /**
         * Create an API key for an app
         * @description The key is valid at once. This reply is the only one that ever contains it.
         */
        post: operations["postAdminAppsIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Servers refuse the key within a second. It stays listed; revoking it again has no effect.
         */
        delete: operations["deleteAdminKeysId"];
        options?: never;
        head?: never;
        /**
         * Update the rate limit of an API key
         * @description Servers apply the new limit within a second.
         */
        patch: operations["patchAdminKeysId"];
        trace?: never;
    };
    "/admin/apps/{id}/signers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signers of an app
         * @description Newest first: keys that the app has requested from users, also revoked ones, with their permissions and what each may do now. With `fids`, only approved ones of these users that sign messages.
         */
        get: operations["getAdminAppsIdSigners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps/{id}/bans/{fid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch what a ban of a user affects
         * @description Whether an app bans the user, and what its feeds, lists and searches leave out while it does. `followers` and `following` are the counters of the user; other numbers are counted up to `counted_to`.
         */
        get: operations["getAdminAppsIdBansFid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{fid}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys of a user
         * @description Keys of the registry, also removed ones, the last changed first; then keys that messages have added. With the app that asked for each, as its signed request in the registry says, and the app of this server that has it.
         */
        get: operations["getAdminUsersFidKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{fid}/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the score of a user
         * @description The stored score, and what takes from it by the documented formula: spam signals and the neighborhood as they are now, and what that leaves for trust. The score is older than they are, and of endorsements only follows count as returned: trust is an estimate.
         */
        get: operations["getAdminUsersFidScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/casts/{hash}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the signed message of a cast
         * @description The message that the hub has stored, in the JSON of the hub API and as bytes.
         */
        get: operations["getAdminCastsHashMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/channels/{id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the activity of a channel by days
         * @description Casts and replies below all parent URLs of the channel, by days of UTC, oldest first; days without casts have 0. The last day is today.
         */
        get: operations["getAdminChannelsIdActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the requests of an app
         * @description Requests with the keys of the app: by UTC day, oldest first, and by key and operation, the 500 with most requests, most first: `complete` is false if there are more. Processes write their counts every 5 seconds; what a process that died had not written is missing. Requests of admins in the name of the app are not among them. Counts are kept for 30 days.
         */
        get: operations["getAdminAppsIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the state of the server
         * @description Whether the server is ready and why not, its processes, what waits, how long operations took and what failed in all processes, the rates of the last hour, the progress of the sync, and sizes. Processes report every 10 seconds; sizes are at most a minute old. `/admin/stream` sends it every 2 seconds.
         */
        get: operations["getAdminOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of the log
         * @description Newest first: the log of the hub, as long as it is kept (`EVENT_RETENTION_DAYS`). A page may have fewer events than its limit, also none, and a `next`: with a filter one request reads at most 20,000 events. New events are sent by `/admin/stream`.
         */
        get: operations["getAdminEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an event of the log and check its message
         * @description All fields of the event, in the JSON of the hub API. Hash, signature and claim of its message are checked again for this request, and whether the key that signed it may sign for its user now.
         */
        get: operations["getAdminEventsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit_log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes through the admin API
         * @description Newest first: every change that was asked of the admin API, also by the console, with its body without secrets and what became of it. `status` is null while it runs, and when its process died on the way.
         */
        get: operations["getAdminAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count fids of the pool, wallets and pending work
         * @description Where accounts are registered, the fids of the pool by state, and what is not finished.
         */
        get: operations["getAdminAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List wallets with their balances
         * @description Newest first. Balances are up to 10 seconds old. A network that does not answer within 2 seconds has no balance, and `balance_problem` says why.
         */
        get: operations["getAdminAccountsWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/fids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List fids of the pool
         * @description Those that were ordered last first.
         */
        get: operations["getAdminAccountsFids"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List registrations of accounts
         * @description Those that were attempted last first.
         */
        get: operations["getAdminAccountsRegistrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions of wallets
         * @description Newest first. `recorded`: signed, and not final. `confirmed`: final. `reverted`: final, and only fees were paid.
         */
        get: operations["getAdminAccountsTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tracked tokens
         * @description In the order in which they were added, with the progress of their backfill.
         */
        get: operations["getAdminTokens"];
        put?: never;
        /**
         * Track a token
         * @description Indexes the balances of an ERC-20 token from its first block, as `plaza token watch`. Repeat it to add pools: their swaps are recorded as trades from now on. 400 for an address without a token or pool, 501 for a network that is not followed, 502 when its RPC does not answer.
         */
        post: operations["postAdminTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop tracking a token
         * @description Deletes its balances, its history and the pools that no other tracked token is in, as `plaza token unwatch`, and takes `is_dollar` back. Recorded trades stay. Returns the token as it was.
         */
        delete: operations["deleteAdminTokensId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List environment variables as they were read
         * @description Every variable of the process that replies: its value, its default, and where the value is from. Of secrets, only whether they are set.
         */
        get: operations["getAdminConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch migrations, partitions and caches
         * @description Migrations of the database and of this version, newest first; partitions of tables; caches of the process that replies.
         */
        get: operations["getAdminSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scheduled jobs and their last runs
         * @description Jobs of all live processes, by name. Processes write their runs every 5 seconds. A job without `per_process` is listed for the processes that have run it.
         */
        get: operations["getAdminJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance
         * @description Replays, recounts and comparisons that were asked of the admin API, newest first. Commands are not listed.
         */
        get: operations["getAdminMaintenance"];
        put?: never;
        /**
         * Start maintenance
         * @description Runs in the background, as the command of this name: `replay` rebuilds the read model, `recount` repairs counters (both in a process with the role `worker`), `reconcile` compares all users with the upstream (role `sync`; 501 without `UPSTREAM_HUB`). One run at a time. A run ends with its process, as `interrupted`.
         */
        post: operations["postAdminMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/maintenance/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel maintenance
         * @description A cancelled replay changes nothing; what a recount or a comparison has repaired stays. Its process ends it within some seconds. No effect on a run that has ended.
         */
        delete: operations["deleteAdminMaintenanceId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Cast: {
            /** @constant */
            object: "cast";
            /** @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c */
            hash: string;
            parent_hash: string | null;
            parent_url: string | null;
            root_parent_url: string | null;
            thread_hash: string | null;
            parent_author: components["schemas"]["CastParentAuthor"];
            author: components["schemas"]["User"];
            app?: components["schemas"]["UserDehydrated"] | null;
            /** @example The first tomatoes are ripe. */
            text: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            timestamp: string;
            embeds: components["schemas"]["Embed"][];
            /**
             * @deprecated
             * @description Always empty: the metadata of `embeds` has frames.
             */
            frames: Record<string, never>[];
            type?: components["schemas"]["CastNotificationType"];
            channel: components["schemas"]["ChannelOrChannelDehydrated"] | null;
            reactions: components["schemas"]["CastReactions"];
            replies: components["schemas"]["CastReplies"];
            mentioned_profiles: components["schemas"]["User"][];
            mentioned_profiles_ranges: components["schemas"]["TextRange"][];
            mentioned_channels: components["schemas"]["ChannelDehydrated"][];
            mentioned_channels_ranges: components["schemas"]["TextRange"][];
            viewer_context?: components["schemas"]["CastViewerContext"];
            author_channel_context?: components["schemas"]["ChannelUserContext"];
        };
        CastParentAuthor: {
            fid: components["schemas"]["Fid"] | null;
        };
        /**
         * Format: int32
         * @description Fid of a user or an app.
         * @example 3
         */
        Fid: number;
        User: {
            /** @constant */
            object: "user";
            fid: components["schemas"]["Fid"];
            /** @example dwr */
            username: string;
            display_name?: string | null;
            pfp_url?: string | null;
            custody_address: components["schemas"]["EthAddress"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            registered_at: string;
            profile: components["schemas"]["UserProfile"];
            /**
             * Format: int32
             * @example 1204
             */
            follower_count: number;
            /**
             * Format: int32
             * @example 310
             */
            following_count: number;
            verifications: components["schemas"]["EthAddress"][];
            verified_addresses: components["schemas"]["VerifiedAddresses"];
            auth_addresses: components["schemas"]["AuthAddress"][];
            verified_accounts: components["schemas"]["VerifiedAccount"][];
            /**
             * @deprecated
             * @description Whether `score` is at least 0.9. Older clients read it.
             * @example true
             */
            power_badge: boolean;
            /**
             * Format: double
             * @description Probability that the account is not spam.
             * @example 0.98
             */
            score?: number;
            /**
             * @deprecated
             * @description Use `score`.
             */
            experimental?: {
                /**
                 * Format: double
                 * @description The same as `score`.
                 * @example 0.98
                 */
                service_user_score: number;
                /**
                 * Format: double
                 * @description The same as `score`.
                 * @example 0.98
                 */
                neynar_user_score: number;
                deprecation_notice?: string;
            };
            pro?: components["schemas"]["UserPro"];
            viewer_context?: components["schemas"]["UserViewerContext"];
        };
        /**
         * @description Ethereum address.
         * @example 0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1
         */
        EthAddress: string;
        UserProfile: {
            bio: components["schemas"]["UserBio"];
            banner?: {
                /**
                 * Format: uri
                 * @example https://example.com/images/garden.png
                 */
                url?: string;
            };
            live_at?: {
                /** @example https://example.com/garden */
                url: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                updated_at: string;
                is_live: boolean;
            };
            location?: components["schemas"]["Location"];
        };
        UserBio: {
            /** @example Gardener and programmer. */
            text: string;
            mentioned_profiles?: components["schemas"]["UserDehydrated"][];
            mentioned_profiles_ranges?: components["schemas"]["TextRange"][];
            mentioned_channels?: components["schemas"]["ChannelDehydrated"][];
            mentioned_channels_ranges?: components["schemas"]["TextRange"][];
        };
        UserDehydrated: {
            /** @constant */
            object: "user_dehydrated";
            fid: components["schemas"]["Fid"];
            /** @example dwr */
            username?: string;
            display_name?: string | null;
            pfp_url?: string | null;
            custody_address?: components["schemas"]["EthAddress"];
            /**
             * @description Probability that the account is not spam.
             * @example 0.98
             */
            score?: number;
        };
        /** @description Range of a text. Positions count UTF-16 code units: `text.slice(start, end)` in JavaScript. */
        TextRange: {
            /**
             * @description First position.
             * @example 0
             */
            start: number;
            /**
             * @description Position after the last one.
             * @example 4
             */
            end: number;
        };
        ChannelDehydrated: {
            /** @example gardening */
            id: string;
            /** @example Gardening */
            name: string;
            /** @constant */
            object: "channel_dehydrated";
            /** @example https://example.com/images/garden.png */
            image_url?: string;
            viewer_context?: components["schemas"]["ChannelUserContext"];
        };
        ChannelUserContext: {
            /** @description The user follows the channel. */
            following: boolean;
            role?: components["schemas"]["ChannelMemberRole"];
        };
        /** @enum {string} */
        ChannelMemberRole: "member" | "moderator" | "owner";
        Location: {
            /**
             * Format: double
             * @example 52.52
             */
            latitude: number;
            /**
             * Format: double
             * @example 13.4
             */
            longitude: number;
            /** @description Meters. Absent: profiles of the protocol have no radius. */
            radius?: number;
            address?: components["schemas"]["LocationAddress"];
        };
        LocationAddress: {
            /** @example Berlin */
            city: string;
            /** @example Germany */
            country: string;
            /** @example DE */
            country_code?: string;
            /** @example Berlin */
            state?: string;
            /** @example BE */
            state_code?: string;
        };
        VerifiedAddresses: {
            /** @description Oldest first. */
            eth_addresses: components["schemas"]["EthAddress"][];
            /** @description Oldest first. */
            sol_addresses: components["schemas"]["SolAddress"][];
            primary: {
                eth_address: components["schemas"]["EthAddress"] | null;
                sol_address: components["schemas"]["SolAddress"] | null;
            };
        };
        /**
         * @description Solana address.
         * @example 7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs
         */
        SolAddress: string;
        AuthAddress: {
            address: components["schemas"]["EthAddress"];
            app: components["schemas"]["UserDehydrated"];
        };
        VerifiedAccount: {
            /** @enum {string} */
            platform?: "x" | "github";
            /** @example dwr */
            username?: string;
        };
        UserPro: {
            /** @enum {string} */
            status: "subscribed" | "unsubscribed";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            subscribed_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            expires_at: string;
        };
        UserViewerContext: {
            /** @description The viewer follows the user. */
            following: boolean;
            /** @description The user follows the viewer. */
            followed_by: boolean;
            /** @description The viewer blocks the user. */
            blocking: boolean;
            /** @description The user blocks the viewer. */
            blocked_by: boolean;
        };
        Embed: components["schemas"]["EmbedCast"] | components["schemas"]["EmbedUrl"];
        EmbedCast: {
            cast: components["schemas"]["CastEmbedded"];
            /**
             * @deprecated
             * @description Use `cast`.
             */
            cast_id?: components["schemas"]["CastId"];
        };
        CastEmbedded: {
            /** @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c */
            hash: string;
            parent_hash: string | null;
            parent_url: string | null;
            root_parent_url: string | null;
            parent_author: components["schemas"]["CastParentAuthor"];
            author: components["schemas"]["UserDehydrated"];
            app?: components["schemas"]["UserDehydrated"] | null;
            /** @example The first tomatoes are ripe. */
            text: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            timestamp: string;
            embeds: components["schemas"]["EmbedDeep"][];
            channel: components["schemas"]["ChannelDehydrated"] | null;
        };
        EmbedDeep: components["schemas"]["EmbedCastDeep"] | components["schemas"]["EmbedUrl"];
        EmbedCastDeep: {
            cast: components["schemas"]["CastDehydrated"];
            /**
             * @deprecated
             * @description Use `cast`.
             */
            cast_id?: components["schemas"]["CastId"];
        };
        CastDehydrated: {
            /** @constant */
            object: "cast_dehydrated";
            /** @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c */
            hash: string;
            author?: components["schemas"]["UserDehydrated"];
            app?: components["schemas"]["UserDehydrated"] | null;
        };
        CastId: {
            fid: components["schemas"]["Fid"];
            /** @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c */
            hash: string;
        };
        EmbedUrl: {
            /** @example https://example.com/garden */
            url: string;
            metadata?: components["schemas"]["EmbedUrlMetadata"];
        };
        EmbedUrlMetadata: {
            /**
             * @description Result of the fetch: `RESOLVED`, `FAILED`, or `PENDING` while there is none.
             * @example RESOLVED
             */
            _status: string;
            content_type?: string | null;
            content_length?: number | null;
            image?: {
                /** @example 1200 */
                width_px?: number;
                /** @example 1200 */
                height_px?: number;
            };
            video?: {
                duration_s?: number;
                stream?: {
                    codec_name?: string;
                    /** @example 1200 */
                    width_px?: number;
                    /** @example 1200 */
                    height_px?: number;
                }[];
            };
            html?: components["schemas"]["HtmlMetadata"];
            frame?: components["schemas"]["Frame"];
        };
        HtmlMetadata: {
            favicon?: string;
            modifiedTime?: string;
            ogArticleAuthor?: string;
            ogArticleExpirationTime?: string;
            ogArticleModifiedTime?: string;
            ogArticlePublishedTime?: string;
            ogArticlePublisher?: string;
            ogArticleSection?: string;
            ogArticleTag?: string;
            ogAudio?: string;
            ogAudioSecureURL?: string;
            ogAudioType?: string;
            ogAudioURL?: string;
            ogAvailability?: string;
            ogDate?: string;
            ogDescription?: string;
            ogDeterminer?: string;
            ogEpisode?: string;
            ogLocale?: string;
            ogLocaleAlternate?: string;
            ogLogo?: string;
            ogMovie?: string;
            ogPriceAmount?: string;
            ogPriceCurrency?: string;
            ogProductAvailability?: string;
            ogProductCondition?: string;
            ogProductPriceAmount?: string;
            ogProductPriceCurrency?: string;
            ogProductRetailerItemId?: string;
            ogSiteName?: string;
            ogTitle?: string;
            ogType?: string;
            ogUrl?: string;
            ogVideoActor?: string;
            ogVideoActorId?: string;
            ogVideoActorRole?: string;
            ogVideoDirector?: string;
            ogVideoDuration?: string;
            ogVideoOther?: string;
            ogVideoReleaseDate?: string;
            ogVideoSecureURL?: string;
            ogVideoSeries?: string;
            ogVideoTag?: string;
            ogVideoTvShow?: string;
            ogVideoWriter?: string;
            ogWebsite?: string;
            updatedTime?: string;
            ogImage?: components["schemas"]["ImageObject"][];
            ogVideo?: components["schemas"]["VideoObject"][];
            oembed?: components["schemas"]["OembedRichData"] | components["schemas"]["OembedVideoData"] | components["schemas"]["OembedPhotoData"] | components["schemas"]["OembedLinkData"];
        };
        ImageObject: {
            url: string;
            alt?: string;
            type?: string;
            width?: string;
            height?: string;
        };
        VideoObject: {
            url: string;
            type?: string;
            width?: string;
            height?: string;
        };
        OembedRichData: {
            /** @constant */
            type: "rich";
            html: string | null;
            width?: number | null;
            height?: number | null;
            version: string | null;
            title?: string | null;
            author_name?: string | null;
            author_url?: string | null;
            provider_name?: string | null;
            provider_url?: string | null;
            cache_age?: string | null;
            thumbnail_url?: string | null;
            thumbnail_width?: number | null;
            thumbnail_height?: number | null;
        };
        OembedVideoData: {
            /** @constant */
            type: "video";
            html: string | null;
            width?: number | null;
            height?: number | null;
            version: string | null;
            title?: string | null;
            author_name?: string | null;
            author_url?: string | null;
            provider_name?: string | null;
            provider_url?: string | null;
            cache_age?: string | null;
            thumbnail_url?: string | null;
            thumbnail_width?: number | null;
            thumbnail_height?: number | null;
        };
        OembedPhotoData: {
            /** @constant */
            type: "photo";
            url: string | null;
            width?: number | null;
            height?: number | null;
            version: string | null;
            title?: string | null;
            author_name?: string | null;
            author_url?: string | null;
            provider_name?: string | null;
            provider_url?: string | null;
            cache_age?: string | null;
            thumbnail_url?: string | null;
            thumbnail_width?: number | null;
            thumbnail_height?: number | null;
        };
        OembedLinkData: {
            /** @constant */
            type: "link";
            version: string | null;
            title?: string | null;
            author_name?: string | null;
            author_url?: string | null;
            provider_name?: string | null;
            provider_url?: string | null;
            cache_age?: string | null;
            thumbnail_url?: string | null;
            thumbnail_width?: number | null;
            thumbnail_height?: number | null;
        };
        Frame: components["schemas"]["FrameV1"] | components["schemas"]["FrameV2"];
        FrameV1: {
            /** @example vNext */
            version: string;
            /** @example https://example.com/garden */
            frames_url: string;
            /** @example https://example.com/images/garden.png */
            image: string;
            /** @example 1.91:1 */
            image_aspect_ratio?: string;
            /** @example Garden */
            title?: string;
            buttons?: components["schemas"]["FrameActionButton"][];
            input?: {
                text?: string;
            };
            state?: {
                serialized?: string;
            };
            /** @example https://example.com/garden */
            post_url?: string;
        };
        FrameActionButton: {
            /** @example 1 */
            index: number;
            /** @enum {string} */
            action_type: "post" | "post_redirect" | "tx" | "link" | "mint";
            /** @example Open */
            title?: string;
            /** @example https://example.com/garden */
            target?: string;
            /** @example https://example.com/garden */
            post_url?: string;
        };
        FrameV2: {
            /** @example next */
            version: string;
            /** @example https://example.com/garden */
            frames_url: string;
            /** @example https://example.com/images/garden.png */
            image: string;
            /** @example Garden */
            title?: string;
            author?: components["schemas"]["UserDehydrated"];
            manifest?: components["schemas"]["MiniAppManifest"];
            metadata?: {
                html: components["schemas"]["HtmlMetadata"];
            };
        };
        MiniAppManifest: {
            account_association: components["schemas"]["EncodedJsonSignature"];
            frame?: components["schemas"]["MiniAppConfig"];
            miniapp?: components["schemas"]["MiniAppConfig"];
        };
        EncodedJsonSignature: {
            /** @example eyJmaWQiOjMsInR5cGUiOiJjdXN0b2R5In0 */
            header: string;
            /** @example eyJkb21haW4iOiJnYXJkZW4uZXhhbXBsZS5jb20ifQ */
            payload: string;
            /** @example MHg5ZjJjLi4u */
            signature: string;
        };
        MiniAppConfig: {
            /** @enum {string} */
            version: "1" | "0.0.0" | "0.0.1" | "next";
            /** @example Garden */
            name: string;
            /** @example https://example.com/garden */
            home_url: string;
            /** @example https://example.com/images/garden.png */
            icon_url: string;
            image_url?: string;
            button_title?: string;
            splash_image_url?: string;
            splash_background_color?: string;
            webhook_url?: string;
            subtitle?: string;
            description?: string;
            tagline?: string;
            primary_category?: string;
            tags?: string[];
            screenshot_urls?: string[];
            /** Format: uri */
            hero_image_url?: string;
            og_title?: string;
            og_description?: string;
            /** Format: uri */
            og_image_url?: string;
            noindex?: boolean;
        };
        /**
         * @description Only in notifications of mentions and replies.
         * @enum {string}
         */
        CastNotificationType: "cast-mention" | "cast-reply";
        ChannelOrChannelDehydrated: components["schemas"]["Channel"] | components["schemas"]["ChannelDehydrated"];
        Channel: {
            /** @constant */
            object: "channel";
            /** @example gardening */
            id: string;
            /** @example https://farcaster.xyz/~/channel/gardening */
            url: string;
            /** @example Gardening */
            name?: string;
            /** @example Everything that grows. */
            description?: string;
            description_mentioned_profiles?: components["schemas"]["UserDehydrated"][];
            description_mentioned_profiles_ranges?: components["schemas"]["TextRange"][];
            /** @example https://example.com/images/garden.png */
            image_url?: string;
            /** @example https://farcaster.xyz/~/channel/gardening */
            parent_url?: string;
            external_link?: {
                /** @example Website */
                title?: string;
                /** @example https://example.com/garden */
                url?: string;
            };
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /** @example 1204 */
            follower_count?: number;
            /**
             * Format: int32
             * @example 12
             */
            member_count?: number;
            lead?: components["schemas"]["User"];
            /**
             * @deprecated
             * @description Use `lead`.
             */
            moderator?: components["schemas"]["User"];
            moderator_fids?: components["schemas"]["Fid"][];
            /**
             * @deprecated
             * @description Only the lead.
             */
            hosts?: components["schemas"]["User"][];
            pinned_cast_hash?: components["schemas"]["CastHash"];
            viewer_context?: components["schemas"]["ChannelUserContext"];
        };
        /**
         * @description Hash of a cast.
         * @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c
         */
        CastHash: string;
        CastReactions: {
            /**
             * @deprecated
             * @description Always empty. Use `reactions/cast`.
             */
            likes: {
                fid: components["schemas"]["Fid"];
                /** @example dwr */
                fname: string;
            }[];
            /**
             * Format: int32
             * @example 12
             */
            likes_count: number;
            /**
             * @deprecated
             * @description Always empty. Use `reactions/cast`.
             */
            recasts: {
                fid: components["schemas"]["Fid"];
                /** @example dwr */
                fname: string;
            }[];
            /**
             * Format: int32
             * @example 12
             */
            recasts_count: number;
        };
        CastReplies: {
            /**
             * Format: int32
             * @example 12
             */
            count: number;
        };
        CastViewerContext: {
            liked: boolean;
            recasted: boolean;
        };
        ErrorRes: {
            /**
             * @description Reason in plain words. It may change.
             * @example limit must be a whole number from 1 to 100
             */
            message: string;
            /**
             * @description Reason for programs.
             * @example InvalidField
             */
            code?: string;
            /**
             * @description The wrong parameter, header or member.
             * @example limit
             */
            property?: string;
            /**
             * Format: int32
             * @description HTTP status.
             * @example 400
             */
            status?: number;
            /** @description With `InvalidField`: the wrong parameter, or the wrong members of a body. */
            errors?: {
                /**
                 * @description Kind of error: `too_big`, `invalid_type`.
                 * @example too_big
                 */
                code: string;
                /**
                 * @description Expected value.
                 * @example a text of 1 to 32 characters
                 */
                expected: string;
                /**
                 * @description Received value.
                 * @example a text of 40 characters
                 */
                received: string;
                /** @example notification.title must be a text of 1 to 32 characters */
                message: string;
                /** @description Path of the member: `["notification", "title"]`. */
                path: string[];
            }[];
        };
        CastsSearchResponse: {
            result: {
                casts: components["schemas"]["Cast"][];
                next: components["schemas"]["NextCursor"];
            };
        };
        /** @description `cursor` is null on the last page. */
        NextCursor: {
            cursor: string | null;
        };
        Conversation: {
            conversation: {
                cast: components["schemas"]["CastAndConversations"];
                chronological_parent_casts?: components["schemas"]["Cast"][];
            };
            next?: components["schemas"]["NextCursor"];
        };
        CastAndConversations: {
            /** @constant */
            object: "cast";
            /** @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c */
            hash: string;
            parent_hash: string | null;
            parent_url: string | null;
            root_parent_url: string | null;
            thread_hash: string | null;
            parent_author: components["schemas"]["CastParentAuthor"];
            author: components["schemas"]["User"];
            app?: components["schemas"]["UserDehydrated"] | null;
            /** @example The first tomatoes are ripe. */
            text: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            timestamp: string;
            embeds: components["schemas"]["Embed"][];
            /**
             * @deprecated
             * @description Always empty: the metadata of `embeds` has frames.
             */
            frames: Record<string, never>[];
            type?: components["schemas"]["CastNotificationType"];
            channel: components["schemas"]["ChannelOrChannelDehydrated"] | null;
            reactions: components["schemas"]["CastReactions"];
            replies: components["schemas"]["CastReplies"];
            mentioned_profiles: components["schemas"]["User"][];
            mentioned_profiles_ranges: components["schemas"]["TextRange"][];
            mentioned_channels: components["schemas"]["ChannelDehydrated"][];
            mentioned_channels_ranges: components["schemas"]["TextRange"][];
            viewer_context?: components["schemas"]["CastViewerContext"];
            author_channel_context?: components["schemas"]["ChannelUserContext"];
            direct_replies: components["schemas"]["CastAndConversations"][];
        };
        FeedResponse: {
            casts: components["schemas"]["Cast"][];
            next: components["schemas"]["NextCursor"];
        };
        CastsResponse: {
            result: {
                casts: components["schemas"]["Cast"][];
            };
        };
        UsersResponse: {
            users: components["schemas"]["User"][];
            next: components["schemas"]["NextCursor"];
        };
        Follower: {
            /** @constant */
            object: "follower";
            user: components["schemas"]["User"];
            app?: components["schemas"]["UserDehydrated"];
        };
        ChannelListResponse: {
            channels: components["schemas"]["Channel"][];
            next?: components["schemas"]["NextCursor"];
        };
        ChannelResponse: {
            channel: components["schemas"]["Channel"];
        };
        ChannelSearchResponse: {
            channels: components["schemas"]["Channel"][];
            next: components["schemas"]["NextCursor"];
        };
        FollowersResponse: {
            users: components["schemas"]["Follower"][];
            next: components["schemas"]["NextCursor"];
        };
        ReactionsCastResponse: {
            reactions: components["schemas"]["ReactionForCast"][];
            next: components["schemas"]["NextCursor"];
        };
        ReactionForCast: {
            /** @enum {string} */
            object: "likes" | "recasts";
            reaction_type: components["schemas"]["ReactionType"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            reaction_timestamp: string;
            user: components["schemas"]["User"];
            app?: components["schemas"]["UserDehydrated"];
        };
        /** @enum {string} */
        ReactionType: "like" | "recast";
        StorageAllocationsResponse: {
            /** @example 2 */
            total_active_units?: number;
            allocations?: components["schemas"]["StorageAllocation"][];
        };
        StorageAllocation: {
            /** @example storage_allocation */
            object?: string;
            user?: components["schemas"]["UserDehydrated"];
            /** @example 2 */
            units?: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            expiry?: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            timestamp?: string;
        };
        StorageUsageResponse: {
            /** @example storage_usage */
            object?: string;
            user?: components["schemas"]["UserDehydrated"];
            /** @example 2 */
            total_active_units?: number;
            casts?: components["schemas"]["StorageObject"];
            reactions?: components["schemas"]["StorageObject"];
            links?: components["schemas"]["StorageObject"];
            verified_addresses?: components["schemas"]["StorageObject"];
            username_proofs?: components["schemas"]["StorageObject"];
            signers?: components["schemas"]["StorageObject"];
        };
        StorageObject: {
            /** @example storage */
            object?: string;
            /** @example 1204 */
            used?: number;
            /** @example 10000 */
            capacity?: number;
        };
        /** @description Users by address, in lower case if it is of Ethereum. Addresses without a user are left out. */
        BulkUsersByAddressResponse: {
            [key: string]: components["schemas"]["User"][];
        };
        BulkUsersResponse: {
            users: components["schemas"]["User"][];
        };
        Notification: {
            /** @constant */
            object: "notification";
            /** @enum {string} */
            type: "follows" | "recasts" | "likes" | "mention" | "reply" | "quote";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            most_recent_timestamp: string;
            seen: boolean;
            cast?: components["schemas"]["Cast"];
            follows?: components["schemas"]["Follower"][];
            reactions?: components["schemas"]["ReactionWithUserInfo"][];
            /**
             * Format: int32
             * @example 12
             */
            count?: number;
        };
        ReactionWithUserInfo: {
            /** @enum {string} */
            object: "likes" | "recasts";
            user: components["schemas"]["User"];
            cast: components["schemas"]["CastDehydrated"];
        };
        UserSearchResponse: {
            result: {
                users: components["schemas"]["User"][];
                next?: components["schemas"]["NextCursor"];
            };
        };
        /**
         * @description Permission of a signer.
         * @enum {string}
         */
        SharedSignerPermission: "WRITE_ALL" | "READ_ONLY" | "NONE" | "PUBLISH_CAST" | "DELETE_CAST" | "PUBLISH_REACTION" | "DELETE_REACTION" | "UPDATE_PROFILE" | "FOLLOW_USER" | "UNFOLLOW_USER" | "FOLLOW_CHANNEL" | "UNFOLLOW_CHANNEL" | "ADD_VERIFICATION" | "REMOVE_VERIFICATION" | "WRITE_FRAME_ACTION";
        OperationResponse: {
            success?: boolean;
            /**
             * @description Result in plain words.
             * @example done
             */
            message?: string;
        };
        BanResponse: {
            success: boolean;
            message?: string | null;
        };
        BanListResponse: {
            bans: components["schemas"]["BanRecord"][];
            next: components["schemas"]["NextCursor"];
        };
        BanRecord: {
            /** @constant */
            object: "ban";
            banned?: components["schemas"]["User"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            banned_at: string;
        };
        MuteListResponse: {
            mutes: components["schemas"]["MuteRecord"][];
            next: components["schemas"]["NextCursor"];
        };
        MuteRecord: {
            /** @constant */
            object: "mute";
            muted: components["schemas"]["User"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            muted_at: string;
        };
        BlockListResponse: {
            blocks: components["schemas"]["BlockRecord"][];
            next: components["schemas"]["NextCursor"];
        };
        BlockRecord: {
            /** @constant */
            object: "block";
            blocker?: components["schemas"]["User"];
            blocked?: components["schemas"]["User"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            blocked_at: string;
        };
        /** @enum {string} */
        NotificationType: "follows" | "recasts" | "likes" | "mentions" | "replies" | "quotes";
        NotificationsResponse: {
            notifications: components["schemas"]["Notification"][];
            /**
             * Format: int32
             * @example 12
             */
            unseen_notifications_count: number;
            next: components["schemas"]["NextCursor"];
        };
        ChannelMemberInviteListResponse: {
            invites: components["schemas"]["ChannelMemberInvite"][];
            next?: components["schemas"]["NextCursor"];
        };
        ChannelMemberInvite: {
            /** @example gardening */
            channel_id: string;
            role: components["schemas"]["ChannelMemberRole"];
            inviter: components["schemas"]["User"];
            invited: components["schemas"]["User"];
        };
        ChannelMemberListResponse: {
            members: components["schemas"]["ChannelMember"][];
            next: components["schemas"]["NextCursor"];
        };
        ChannelMember: {
            /** @constant */
            object: "member";
            role: components["schemas"]["ChannelMemberRole"];
            user: components["schemas"]["User"] | components["schemas"]["UserDehydrated"];
            channel: components["schemas"]["ChannelOrChannelDehydrated"];
        };
        WebhookResponse: {
            /** @example webhook found */
            message?: string;
            success?: boolean;
            webhook?: components["schemas"]["Webhook"];
        };
        Webhook: {
            /** @constant */
            object: "webhook";
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            webhook_id: string;
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            developer_uuid: string;
            /** @example https://garden.example.com/webhook */
            target_url: string;
            /** @example new casts */
            title: string;
            /**
             * @description Reason if the server has deactivated the webhook, else empty.
             * @example
             */
            description: string;
            active: boolean;
            /** @description Valid secrets, newest first. */
            secrets: components["schemas"]["WebhookSecret"][];
            /**
             * @description Timeout of an attempt.
             * @example 10s
             */
            http_timeout: string;
            /**
             * Format: int32
             * @description Attempts per `rate_limit_duration`; more attempts wait.
             * @example 1000
             */
            rate_limit: number;
            /**
             * @description Period of the rate limit.
             * @example 1m0s
             */
            rate_limit_duration: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updated_at: string;
            deleted_at: string | null;
            subscription?: components["schemas"]["WebhookSubscription"];
        };
        WebhookSecret: {
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            uid: string;
            /**
             * @description The secret. Keep it like a password.
             * @example whsec_9pQ2xYkL
             */
            value: string;
            /** @example 2026-05-01T12:00:00.000Z */
            created_at: string;
            /** @example 2026-05-01T12:00:00.000Z */
            updated_at: string;
            /**
             * @description End of its validity. The year 9999 stands for none.
             * @example 9999-12-31T23:59:59.000Z
             */
            expires_at: string;
            deleted_at: string | null;
        };
        WebhookSubscription: {
            /** @constant */
            object: "webhook_subscription";
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            subscription_id: string;
            filters: components["schemas"]["WebhookSubscriptionFilters"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updated_at: string;
        };
        /** @description Types of events to send, with the filters of each type. */
        WebhookSubscriptionFilters: {
            "cast.created"?: components["schemas"]["WebhookSubscriptionFiltersCast"];
            "cast.deleted"?: components["schemas"]["WebhookSubscriptionFiltersCast"];
            "follow.created"?: components["schemas"]["WebhookSubscriptionFiltersFollow"];
            "follow.deleted"?: components["schemas"]["WebhookSubscriptionFiltersFollow"];
            "reaction.created"?: components["schemas"]["WebhookSubscriptionFiltersReaction"];
            "reaction.deleted"?: components["schemas"]["WebhookSubscriptionFiltersReaction"];
            "trade.created"?: components["schemas"]["WebhookSubscriptionFiltersTrade"];
            "user.created"?: Record<string, never>;
            "user.updated"?: components["schemas"]["WebhookSubscriptionFiltersUserUpdated"];
        };
        /** @description One member must match; `exclude_author_fids` and `minimum_author_score` narrow the result. Without members, every cast matches. */
        WebhookSubscriptionFiltersCast: {
            /** @description Authors of the cast. */
            author_fids?: components["schemas"]["Fid"][];
            /** @description Leaves out casts by these authors, whatever else matches. */
            exclude_author_fids?: components["schemas"]["Fid"][];
            /** @description Users that the cast mentions. */
            mentioned_fids?: components["schemas"]["Fid"][];
            /** @description Authors of the cast that it replies to. */
            parent_author_fids?: components["schemas"]["Fid"][];
            /** @description Authors of a cast that it embeds. */
            embedded_cast_author_fids?: components["schemas"]["Fid"][];
            /** @description Casts that it embeds. */
            embedded_cast_hashes?: string[];
            /** @description Casts that it replies to. */
            parent_hashes?: string[];
            /** @description URLs that it replies to, compared exactly. */
            parent_urls?: string[];
            /** @description Root parent URLs of its thread, compared exactly. */
            root_parent_urls?: string[];
            /** @description RE2 regular expression that matches in an embedded URL. */
            embeds?: string;
            /** @description RE2 regular expression that matches in its `text`. */
            text?: string;
            /**
             * @description Leaves out casts by authors with a lower score, whatever else matches.
             * @default 0
             */
            minimum_author_score: number;
        };
        /** @description One member must match. Without members, every follow matches. */
        WebhookSubscriptionFiltersFollow: {
            /** @description Users who follow. */
            fids?: components["schemas"]["Fid"][];
            /** @description Users who are followed. */
            target_fids?: components["schemas"]["Fid"][];
        };
        /** @description One member must match. Without members, every reaction matches. */
        WebhookSubscriptionFiltersReaction: {
            /** @description Users who react. */
            fids?: components["schemas"]["Fid"][];
            /** @description Authors of the cast. */
            target_fids?: components["schemas"]["Fid"][];
            /** @description Casts that are reacted to. */
            target_cast_hashes?: string[];
        };
        /** @description All members must match. Without members, every trade matches. */
        WebhookSubscriptionFiltersTrade: {
            /** @description Users who trade. */
            fids?: components["schemas"]["Fid"][];
            /** @description Minimum value of a trade. */
            minimum_token_amount_usdc?: number;
            /** @description Minimum score of the trader. It has two names, of which one is enough. */
            minimum_trader_service_score?: number;
            /** @description Minimum score of the trader. It has two names, of which one is enough. */
            minimum_trader_neynar_score?: number;
        };
        /** @description Without members, every user matches. */
        WebhookSubscriptionFiltersUserUpdated: {
            /** @description Users who have changed. */
            fids?: components["schemas"]["Fid"][];
        };
        WebhookListResponse: {
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookDeliveriesResponse: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            next: components["schemas"]["NextCursor"];
        };
        WebhookDelivery: {
            /** @constant */
            object: "webhook_delivery";
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            delivery_id: string;
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            webhook_id: string;
            /** @example 1-16385-71d5225f */
            event_id: string;
            /** @enum {string} */
            type: "cast.created" | "cast.deleted" | "follow.created" | "follow.deleted" | "reaction.created" | "reaction.deleted" | "trade.created" | "user.created" | "user.updated";
            /**
             * @description `waiting`: for its first or next attempt. `canceled`: the webhook was deactivated or deleted.
             * @enum {string}
             */
            status: "waiting" | "sending" | "delivered" | "failed" | "canceled";
            /**
             * @description Number of attempts.
             * @example 1
             */
            attempts: number;
            response_code: number | null;
            failure: string | null;
            latency_ms: number | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            event_timestamp: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            last_attempt_at: string | null;
            next_attempt_at: string | null;
        };
        WebhookDeliveryResponse: {
            delivery: components["schemas"]["WebhookDelivery"];
            /** @description As sent at the time of the last attempt, to the present URL and signed with the secrets that are valid now. Null until the first attempt. */
            request: {
                /** @example https://garden.example.com/webhook */
                url: string;
                headers: {
                    [key: string]: string;
                };
                /** @example {"type":"cast.created","event_id":"1-16385-71d5225f"} */
                body: string;
            } | null;
            /** @description Null when the target has not replied. */
            response: {
                /** @example 500 */
                status: number;
                /** @description The first 1,000 characters, if the attempt has failed. */
                body: string | null;
            } | null;
        };
        WebhookRedeliverResponse: {
            /** @example queued again */
            message: string;
            success: boolean;
            /** @example 3 */
            redelivered: number;
        };
        WebhookTestResponse: {
            /** @example test event queued */
            message: string;
            success: boolean;
            /** @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            delivery_id: string;
            /** @example test-0f6c5ea2 */
            event_id: string;
        };
        WebhookPreviewResponse: {
            /**
             * @description Matching events among those read.
             * @example 12
             */
            matched: number;
            matched_by_type: {
                [key: string]: number;
            };
            /**
             * @description Entries of the event log that were read, newest first.
             * @example 48000
             */
            looked_at: number;
            /** @description Whether all of the last three days was read. */
            complete: boolean;
            since: string | null;
            samples: {
                /** @enum {string} */
                type: "cast.created" | "cast.deleted" | "follow.created" | "follow.deleted" | "reaction.created" | "reaction.deleted" | "trade.created" | "user.created" | "user.updated";
                /** @example 1-16385-71d5225f */
                event_id: string;
                /**
                 * @description `data` of the delivery.
                 * @example {
                 *       "object": "cast",
                 *       "hash": "0x71d5225f77e0164388b1d4c120825f3a2c1f131c"
                 *     }
                 */
                data: unknown;
            }[];
        };
        FrameNotificationTokens: {
            notification_tokens: components["schemas"]["NotificationToken"][];
            next: components["schemas"]["NextCursor"];
        };
        NotificationToken: {
            /** @constant */
            object: "notification_token";
            fid: components["schemas"]["Fid"];
            /**
             * @description Fid of the client app that granted it; 0 if an address signed the event, which names no app.
             * @example 9152
             */
            client_fid: number;
            /**
             * @description URL of the client that accepts notifications.
             * @example https://client.example.com/notify
             */
            url: string;
            /** @example 0199a1b2-5f1c-7d3e-8a4b-6c5d7e8f9a0b */
            token: string;
            /**
             * @description `disabled`: the user has disabled notifications. `invalid`: the user has removed the mini app, or the client has rejected the token.
             * @enum {string}
             */
            status: "enabled" | "disabled" | "invalid";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updated_at: string;
        };
        NotificationTokenCounts: {
            /** @description At most 1,000. */
            clients: {
                /** @constant */
                object: "notification_token_count";
                /**
                 * @description Fid of the client app that granted it; 0 if an address signed the event, which names no app.
                 * @example 9152
                 */
                client_fid: number;
                /**
                 * @description Host of the URL that accepts notifications; one of them if there are several.
                 * @example client.example.com
                 */
                host: string;
                /**
                 * @description Tokens with the status `enabled`.
                 * @example 10
                 */
                enabled: number;
                /**
                 * @description Tokens with the status `disabled`.
                 * @example 10
                 */
                disabled: number;
                /**
                 * @description Tokens with the status `invalid`.
                 * @example 10
                 */
                invalid: number;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                last_event_at: string;
            }[];
        };
        SendFrameNotificationsResponse: {
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            campaign_id: string;
            /**
             * Format: int32
             * @example 12
             */
            success_count: number;
            /**
             * Format: int32
             * @example 12
             */
            failure_count: number;
            /**
             * Format: int32
             * @description Disabled or invalid tokens, users who were reached with the same uuid, and canceled sends.
             * @example 1
             */
            not_attempted_count: number;
            /** @description Users for whom a client failed temporarily. Send the notification again with the same uuid. */
            retryable_fids: components["schemas"]["Fid"][];
            /**
             * @deprecated
             * @description By fid, at most 1,000, for clients of before 2026. Use the counts.
             */
            notification_deliveries: {
                /** @constant */
                object: "notification_delivery";
                fid: components["schemas"]["Fid"];
                /** @enum {string} */
                status: "success" | "failed" | "token_disabled" | "token_not_found";
                app_fid?: components["schemas"]["Fid"];
            }[];
        };
        QueuedFrameNotificationsResponse: {
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            campaign_id: string;
            status: components["schemas"]["NotificationCampaignStatus"];
        };
        /**
         * @description queued: the audience is not selected yet. running: sending. completed: each token has been tried once. failed: the audience could not be selected. canceled: the rest is not sent.
         * @enum {string}
         */
        NotificationCampaignStatus: "queued" | "running" | "completed" | "failed" | "canceled";
        NotificationCampaignsResponse: {
            notificationCampaigns: components["schemas"]["NotificationCampaign"][];
            next: components["schemas"]["NextCursor"];
        };
        NotificationCampaign: {
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /** @example Harvest time */
            title: string;
            /** @example Your tomatoes are ripe. */
            body: string;
            /**
             * @description URL that clients open, with its parameters.
             * @example https://garden.example.com/harvest
             */
            target_url: string;
            status: components["schemas"]["NotificationCampaignStatus"];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            queued_at: string;
            completed_at: string | null;
            stats: components["schemas"]["NotificationCampaignStats"];
        };
        NotificationCampaignStats: {
            /** @description Client apps of the audience. */
            intended_recipient_app_fids: components["schemas"]["Fid"][];
            /**
             * Format: int32
             * @example 12
             */
            intended_recipient_notification_token_count: number;
            /**
             * Format: int32
             * @example 12
             */
            successful_sends: number;
            /** @description By fid of the client app; 0 for an unnamed client. */
            successful_sends_by_app_fid: {
                [key: string]: number;
            };
            /**
             * Format: int32
             * @example 12
             */
            failure_count: number;
            /**
             * Format: int32
             * @example 12
             */
            not_attempted_count: number;
            /**
             * Format: int32
             * @description Waiting or in progress. With the three counts above, it adds up to the audience.
             * @example 0
             */
            pending_count: number;
            error_breakdown: {
                /** @description Failures by kind: invalid_token, rate_limited, failed, http_error. */
                delivery_errors: {
                    [key: string]: number;
                };
                /** @description Kind http_error by HTTP status, if there was a reply. */
                http_errors: {
                    [key: string]: number;
                };
                /** @description By reason: disabled, invalid, repeated, canceled. */
                not_attempted: {
                    [key: string]: number;
                };
            };
            /**
             * Format: int32
             * @description Opens that mini apps report with `frame/notifications/open`; of one user, the first 100 count.
             * @example 0
             */
            total_opens: number;
            /** @description By client app. */
            total_opens_by_app_fid: {
                [key: string]: number;
            };
            /**
             * Format: int32
             * @description Users who opened the notification.
             * @example 0
             */
            unique_opens: number;
            /** @description By the client app of the first open. */
            unique_opens_by_app_fid: {
                [key: string]: number;
            };
        };
        NotificationPreviewResponse: {
            /**
             * Format: int32
             * @description Tokens that would be tried.
             * @example 12
             */
            tokens: number;
            /**
             * Format: int32
             * @description Users of these tokens.
             * @example 11
             */
            users: number;
            /**
             * @description Way of sending.
             * @enum {string}
             */
            delivery: "synchronous" | "queued";
            clients: {
                app_fid: components["schemas"]["Fid"];
                /**
                 * Format: int32
                 * @example 12
                 */
                tokens: number;
            }[];
            left_out: {
                /**
                 * @description First reason that applies: no_token (a target without a token), disabled, invalid, excluded, not_following, low_score, not_near, repeated, rate_limited.
                 * @example disabled
                 */
                reason: string;
                /**
                 * Format: int32
                 * @description Number of tokens; of users for no_token.
                 * @example 2
                 */
                tokens: number;
            }[];
        };
        NotificationMapResponse: {
            /**
             * @description Users that were counted.
             * @example 120
             */
            users: number;
            /** @description False for an audience of more than 100,000 users: the others are not counted. */
            complete: boolean;
            /**
             * @description Users whose profile has a location.
             * @example 80
             */
            located_users: number;
            /**
             * @description Size of a cell in degrees of latitude and longitude.
             * @example 2
             */
            cell_degrees: number;
            /** @description The cells with the most users first, at most 1,000. */
            cells: {
                /** @constant */
                object: "map_cell";
                /**
                 * @description Of the center.
                 * @example 53
                 */
                latitude: number;
                /**
                 * @description Of the center.
                 * @example 13
                 */
                longitude: number;
                /**
                 * Format: int32
                 * @example 12
                 */
                users: number;
            }[];
        };
        RelevantFungibleOwnersResponse: {
            top_relevant_fungible_owners_hydrated: components["schemas"]["User"][];
            all_relevant_fungible_owners_dehydrated: components["schemas"]["UserDehydrated"][];
            /**
             * @deprecated
             * @description For clients of before June 2025. Use top_relevant_fungible_owners_hydrated.
             */
            top_relevant_owners_hydrated: components["schemas"]["User"][];
            /**
             * @deprecated
             * @description For clients of before June 2025. Use all_relevant_fungible_owners_dehydrated.
             */
            all_relevant_owners_dehydrated: components["schemas"]["UserDehydrated"][];
        };
        FungiblesNotReady: {
            /** @constant */
            code: "NotReady";
            /** @example the owners of the token are not indexed completely yet: try again later */
            message: string;
            tokens: {
                /** @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 */
                address: string;
                network: components["schemas"]["Network"];
                /**
                 * @description Indexed part of its history.
                 * @example 0.4
                 */
                progress: number;
            }[];
            /** @description Empty. */
            top_relevant_fungible_owners_hydrated: components["schemas"]["User"][];
            /** @description Empty. */
            all_relevant_fungible_owners_dehydrated: components["schemas"]["UserDehydrated"][];
            /**
             * @deprecated
             * @description For clients of before June 2025. Use top_relevant_fungible_owners_hydrated.
             */
            top_relevant_owners_hydrated: components["schemas"]["User"][];
            /**
             * @deprecated
             * @description For clients of before June 2025. Use all_relevant_fungible_owners_dehydrated.
             */
            all_relevant_owners_dehydrated: components["schemas"]["UserDehydrated"][];
        };
        /** @enum {string} */
        Network: "ethereum" | "optimism" | "base" | "arbitrum";
        Fungible: {
            /** @constant */
            object: "fungible";
            network: components["schemas"]["Network"];
            /** @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 */
            address: string;
            /** @example USD Coin */
            name: string;
            /** @example USDC */
            symbol: string;
            /** @example 6 */
            decimals: number;
            logo: string | null;
            total_supply: string | null;
        };
        FungibleTradesResponse: {
            /** @constant */
            object: "fungible_trades";
            trades: components["schemas"]["Trade"][];
        };
        Trade: {
            /** @constant */
            object: "trade";
            trader: components["schemas"]["UserDehydrated"];
            pool?: {
                /** @constant */
                object: "pool";
                /** @example 0xd0b53d9277642d899df5c87a3966a349a798f224 */
                address: string;
                /** @example uniswap */
                protocol_family?: string;
                /** @example v3 */
                protocol_version?: string;
            };
            transaction: {
                /** @example 0x2f1c5bd1bd8b5d9c4d1a1b6f0c7a3e9d8b6a5c4f3e2d1c0b9a8f7e6d5c4b3a29 */
                hash: string;
                network: {
                    /** @constant */
                    object: "network";
                    /** @example base */
                    name: string;
                };
                net_transfer: {
                    /** @constant */
                    object: "net_transfer";
                    sending_fungible: components["schemas"]["FungibleBalance"];
                    receiving_fungible: components["schemas"]["FungibleBalance"];
                };
            };
        };
        FungibleBalance: {
            /** @constant */
            object: "fungible_balance";
            token: components["schemas"]["Fungible"];
            balance: {
                /**
                 * @description In units of the token.
                 * @example 125.5
                 */
                in_token: string;
                in_usd: number | null;
            };
        };
        AppsResponse: {
            apps: components["schemas"]["App"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description Client of the API, with keys and data of its own. */
        App: {
            /** @constant */
            object: "app";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /**
             * @description Unique name.
             * @example garden
             */
            name: string;
            fid: components["schemas"]["Fid"] | null;
            mini_app_domain: string | null;
            /**
             * @description URL that clients send events of its users to: the `webhookUrl` of its manifest. Only the path if the public URL of the server is unknown.
             * @example https://plaza.example.com/f/app/0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55/event
             */
            events_url: string;
            /**
             * Format: uuid
             * @description Developer of the app. Several apps may share it.
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            developer_uuid: string;
            /** @description Origins, and schemes of deep links, that may receive the result of a browser sign-in. */
            authorized_origins: string[];
            /**
             * @description What a browser sign-in requests from users.
             * @enum {string}
             */
            sign_in_permission: "read_only" | "read_and_write";
            /**
             * @description Whether the server holds the custody key of `fid`, which signs requests for signers.
             * @example true
             */
            has_custody_key: boolean;
            /**
             * @description Number of active keys.
             * @example 1
             */
            key_count: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
        };
        AppResponse: {
            app: components["schemas"]["App"];
        };
        ApiKeysResponse: {
            api_keys: components["schemas"]["ApiKey"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description API key without its secret part. */
        ApiKey: {
            /** @constant */
            object: "api_key";
            /**
             * Format: int32
             * @example 7
             */
            id: number;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            app_id: string;
            /**
             * @description First characters, to tell keys apart.
             * @example plaza_8f2Kq
             */
            prefix: string;
            rate_limit: number | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            revoked_at: string | null;
        };
        NewApiKeyResponse: {
            api_key: components["schemas"]["ApiKey"];
            /**
             * @description The key itself. Only its hash is stored.
             * @example plaza_8f2KqW1vTz0R4yXnB7cLd9sGh3
             */
            key: string;
        };
        ApiKeyResponse: {
            api_key: components["schemas"]["ApiKey"];
        };
        AppSignersResponse: {
            signers: components["schemas"]["AppSigner"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A key that an app has requested from a user. */
        AppSigner: {
            /** @constant */
            object: "app_signer";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            signer_uuid: string;
            /**
             * @description Ed25519 public key, or the address of an auth address.
             * @example 0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c
             */
            public_key: string;
            /** @enum {string} */
            key_type: "signer" | "auth_address";
            /**
             * @description Who has the private key. Permissions restrict only what this server does with it.
             * @enum {string}
             */
            held_by: "server" | "developer";
            /** @enum {string} */
            status: "generated" | "pending_approval" | "approved" | "revoked";
            /** @description The user that approved it. */
            fid: components["schemas"]["Fid"] | null;
            username: string | null;
            permissions: components["schemas"]["SharedSignerPermission"][];
            operations: string[];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
        };
        BanEffectResponse: {
            effect: components["schemas"]["BanEffect"];
        };
        /** @description What a ban of a user leaves out, for an app. */
        BanEffect: {
            /** @constant */
            object: "ban_effect";
            fid: components["schemas"]["Fid"];
            /** @description null: the app does not ban the user. */
            banned_at: string | null;
            /**
             * @description Users that the app bans now.
             * @example 2
             */
            bans: number;
            /** @example 10000 */
            max_bans: number;
            /**
             * @description Numbers of casts, replies, likes, recasts and memberships are counted up to this.
             * @example 10000
             */
            counted_to: number;
            /**
             * @description Casts that leave feeds and searches, with replies.
             * @example 120
             */
            casts: number;
            /**
             * @description Of these, replies that leave conversations.
             * @example 45
             */
            replies: number;
            /**
             * @description Likes that leave lists of reactions.
             * @example 300
             */
            likes: number;
            /**
             * @description Recasts that leave feeds.
             * @example 12
             */
            recasts: number;
            /**
             * @description Users whose following feeds lose the casts of the user.
             * @example 80
             */
            followers: number;
            /**
             * Format: int32
             * @example 12
             */
            following: number;
            /**
             * @description Channels that the user leads.
             * @example 1
             */
            led_channels: number;
            /**
             * @description Channels of which the user is a member. A ban does not end them.
             * @example 4
             */
            memberships: number;
        };
        UserKeysResponse: {
            keys: components["schemas"]["UserKey"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A key of a user. */
        UserKey: {
            /** @constant */
            object: "user_key";
            /**
             * @description Public key, or the address of a key that signs in.
             * @example 0x3daa8f99c5f760688a3c9f95716ed93dee5ed5d7722d776b7c4deac957755f22
             */
            key: string;
            /** @enum {string} */
            use: "signs messages" | "signs in";
            /**
             * @description Whether the chain or a message has added it.
             * @enum {string}
             */
            source: "chain" | "message";
            /**
             * @description Whether it may be used now. A key that a message has added expires.
             * @example true
             */
            active: boolean;
            /** @description When the chain last added or removed it. null: a message has added it. */
            changed_at: string | null;
            /** @description The app that asked for it, as the key registry says; null when it does not. */
            requested_by: {
                fid: components["schemas"]["Fid"];
                username: string | null;
            } | null;
            /** @description The app of this server that has the key; null for keys of others. */
            app: {
                /**
                 * Format: uuid
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
                /** @example garden */
                name: string;
            } | null;
        };
        ScoreExplanationResponse: {
            explanation: components["schemas"]["ScoreExplanation"];
        };
        /** @description Why an account has its score: what it does now, by the formula of the last computation. */
        ScoreExplanation: {
            /** @constant */
            object: "score_explanation";
            fid: components["schemas"]["Fid"];
            score: number | null;
            /** @description When scores were last computed. null: never. */
            computed_at: string | null;
            /** @description null: there is no score. */
            trust: components["schemas"]["ScoreTrust"] | null;
            signals: components["schemas"]["ScoreSignal"][];
            neighborhood: components["schemas"]["ScoreNeighborhood"];
            followers: components["schemas"]["EndorsementCounts"];
            /**
             * @description The newest so many follows, followers, likes and casts are read. More make this an estimate.
             * @example 10000
             */
            read_up_to: number;
            /**
             * @description Whether there were no more.
             * @example true
             */
            is_complete: boolean;
        };
        /** @description What the stored score leaves for trust: its log-odds, with all that signals and neighborhood take added again. Trust itself is known only while all scores are computed. */
        ScoreTrust: {
            /** @example 2.6 */
            log_odds: number;
            /** @example 0.93 */
            probability: number;
        };
        /** @description A spam signal of an account. */
        ScoreSignal: {
            /** @constant */
            object: "score_signal";
            /** @enum {string} */
            name: "repetition" | "links" | "imbalance" | "burst" | "missing profile" | "new account";
            /**
             * @description 0: absent. 1: fully present.
             * @example 1
             */
            value: number;
            /** @example 0.75 */
            weight: number;
            /**
             * @description Log-odds that this takes away.
             * @example 0.75
             */
            takes: number;
            /**
             * @description What it is computed from.
             * @example 0 of 4 parts of the profile are there
             */
            found: string;
        };
        /** @description Accounts that this one follows or likes. */
        ScoreNeighborhood: {
            endorsed: components["schemas"]["EndorsementCounts"];
            /**
             * @description Of these, accounts that follow back.
             * @example 25
             */
            mutual: number;
            /** @example 0.05 */
            penalty: number;
            /** @example 4 */
            weight: number;
            /**
             * @description Log-odds that this takes away.
             * @example 0.75
             */
            takes: number;
        };
        /** @description Accounts by their scores. */
        EndorsementCounts: {
            /**
             * @description With a score of 0.9 or more.
             * @example 12
             */
            trusted: number;
            /** @example 30 */
            between: number;
            /**
             * @description With a score of 0.5 or less.
             * @example 4
             */
            doubted: number;
            /** @example 1 */
            unscored: number;
        };
        CastMessageResponse: {
            /** @description The signed message, as `GET /v1/castById` returns it. */
            message: {
                [key: string]: unknown;
            };
            /**
             * @description The message as it is stored, in hex: `POST /v1/submitMessage` takes these bytes.
             * @example 0a1b
             */
            bytes: string;
        };
        ChannelActivityResponse: {
            days: components["schemas"]["ChannelDay"][];
        };
        /** @description Activity of a channel on a day. */
        ChannelDay: {
            /**
             * @description A day in UTC.
             * @example 2026-05-01
             */
            day: string;
            /** @example 12 */
            casts: number;
        };
        AppUsageResponse: {
            days: components["schemas"]["UsageDay"][];
            operations: components["schemas"]["UsageOperation"][];
            /**
             * @description Whether `operations` has all pairs of a key and an operation.
             * @example true
             */
            complete: boolean;
        };
        /** @description Requests with the keys of an app on one day. */
        UsageDay: {
            /** @constant */
            object: "usage_day";
            /**
             * @description UTC.
             * @example 2026-05-01
             */
            day: string;
            /** @example 1200 */
            requests: number;
            /**
             * @description Of these, replies with a status of 400 and above.
             * @example 3
             */
            refusals: number;
        };
        /** @description Requests of a key to an operation. */
        UsageOperation: {
            /** @constant */
            object: "usage_operation";
            /**
             * Format: int32
             * @example 7
             */
            api_key_id: number;
            /**
             * @description First characters of the key.
             * @example plaza_8f2Kq
             */
            prefix: string;
            /**
             * @description `other`: no documented operation.
             * @example GET cast/search
             */
            operation: string;
            /** @example 1200 */
            requests: number;
            /**
             * @description Of these, replies with a status of 400 and above.
             * @example 3
             */
            refusals: number;
        };
        OverviewResponse: {
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description Of the process that replies.
             * @example 0.2.0
             */
            version: string;
            /** @example true */
            ready: boolean;
            problems: string[];
            processes: components["schemas"]["Process"][];
            counters: components["schemas"]["OverviewCounters"];
            activity: components["schemas"]["Activity"];
            consumers: components["schemas"]["ConsumerLag"][];
            queues: components["schemas"]["QueueDepth"][];
            operations: components["schemas"]["OperationTimes"][];
            errors: components["schemas"]["ServerErrors"];
            /** @description null: nothing was merged from an upstream. */
            sync: components["schemas"]["SyncState"] | null;
            database: components["schemas"]["DatabaseState"];
        };
        /** @description A live process of the server. */
        Process: {
            /** @constant */
            object: "process";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            roles: ("api" | "worker" | "sync")[];
            /**
             * @description Version of its build.
             * @example 0.2.0
             */
            version: string;
            /**
             * @description Host name of its machine.
             * @example plaza-1
             */
            host: string;
            /**
             * @description Its number on that machine.
             * @example 4711
             */
            pid: number;
            /**
             * @description Most database connections that it opens. 0: an older version, which does not tell.
             * @example 18
             */
            connections: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            started_at: string;
        };
        /** @description Sizes of the network. */
        OverviewCounters: {
            /**
             * @description Messages that the hub has stored since PostgreSQL began to count. Its difference is a rate.
             * @example 420000
             */
            messages: number;
            /**
             * @description Casts of the read model, estimated.
             * @example 120000
             */
            casts: number;
            /**
             * @description Users of the read model, estimated.
             * @example 5000
             */
            users: number;
        };
        /** @description What the hub stored in the last hour, since the process that replies was started. The last value is the newest. */
        Activity: {
            /** @constant */
            object: "activity";
            /**
             * @description Between two values.
             * @example 10
             */
            every_seconds: number;
            until: string | null;
            messages_per_second: number[];
            events_per_second: number[];
        };
        /** @description A consumer of the event log. */
        ConsumerLag: {
            /** @constant */
            object: "consumer";
            /** @example webhooks */
            name: string;
            /** @example 1 */
            shard: number;
            /**
             * Format: int32
             * @example 12
             */
            blocks_behind: number;
        };
        /** @description What waits, by state. Large numbers are counted up to a bound. */
        QueueDepth: {
            /** @constant */
            object: "queue";
            /** @enum {string} */
            name: "webhook deliveries" | "notification tokens";
            /** @example waiting */
            state: string;
            /**
             * Format: int32
             * @example 12
             */
            count: number;
        };
        /** @description How long the requests of an operation took, in all live processes. */
        OperationTimes: {
            /** @constant */
            object: "operation_times";
            /** @example GET /v2/farcaster/feed */
            operation: string;
            /**
             * @description Since the start of each process.
             * @example 1200
             */
            requests: number;
            /**
             * @description Of these, replies of 500 and above, without 501.
             * @example 0
             */
            failures: number;
            /**
             * @description Milliseconds.
             * @example 4.2
             */
            p50_ms: number;
            /**
             * @description Milliseconds.
             * @example 4.2
             */
            p99_ms: number;
        };
        /** @description Replies of 500 and above, without 501, and failed jobs, of all live processes. */
        ServerErrors: {
            last_hour: components["schemas"]["ErrorCount"][];
            recent: components["schemas"]["RecentError"][];
        };
        /** @description Failures of one kind in the last hour. */
        ErrorCount: {
            /** @constant */
            object: "error_count";
            /** @example GET /v2/farcaster/feed replied 500 */
            kind: string;
            /**
             * Format: int32
             * @example 12
             */
            count: number;
        };
        /** @description One of the last failures. What may be secret is replaced by `…`. */
        RecentError: {
            /** @constant */
            object: "recent_error";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            /** @example a scheduled job failed: score */
            kind: string;
            /** @example canceling statement due to statement timeout */
            message: string;
            /**
             * @description Trace of the work that failed, where it was recorded.
             * @example 0af7651916cd43dd8448eb211c80319c
             */
            trace_id?: string;
        };
        /** @description How far the server is behind its upstream. */
        SyncState: {
            shards: components["schemas"]["SyncedShard"][];
            backfill: components["schemas"]["BackfillState"];
            seconds_left: number | null;
        };
        /** @description A shard of an upstream, and the age of its newest merged block. */
        SyncedShard: {
            /** @constant */
            object: "synced_shard";
            /** @example hub.example:3383 */
            upstream: string;
            /** @example 1 */
            shard: number;
            /** @example 3600 */
            behind_seconds: number;
        };
        /** @description Users of the backfill. `seconds_left` is null while none are fetched. */
        BackfillState: {
            /**
             * Format: int32
             * @example 12
             */
            fetched: number;
            /**
             * Format: int32
             * @example 12
             */
            remaining: number;
            seconds_left: number | null;
        };
        /** @description The database of the server. */
        DatabaseState: {
            /**
             * Format: int64
             * @example 52428800
             */
            bytes: number;
            /** @example 18.4 */
            version: string;
            growth_bytes_per_day: number | null;
            /** @description The largest ones. */
            tables: components["schemas"]["TableSize"][];
            /** @description The last 90 days, oldest first. */
            history: components["schemas"]["DatabaseSize"][];
        };
        /** @description A table with its indexes and partitions. */
        TableSize: {
            /** @constant */
            object: "table_size";
            /** @example hub.messages */
            name: string;
            /**
             * Format: int64
             * @example 52428800
             */
            bytes: number;
            /**
             * @description Estimated.
             * @example 420000
             */
            rows: number;
        };
        /** @description The size of the database at the end of a day. */
        DatabaseSize: {
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            /**
             * Format: int64
             * @example 52428800
             */
            bytes: number;
        };
        EventLogResponse: {
            events: components["schemas"]["LoggedEvent"][];
            /**
             * @description The end of the log before the page was read: `after` of `/admin/stream`, which sends the events that follow.
             * @example 1097744.9f1c02ab
             */
            position: string;
            next: components["schemas"]["NextCursor"];
        };
        /** @description An event of the log of the hub. */
        LoggedEvent: {
            /** @constant */
            object: "event";
            /**
             * @description Shard and id within it.
             * @example 1:1097744
             */
            id: string;
            /** @example 1 */
            shard: number;
            at: string | null;
            /**
             * @description Without `HUB_EVENT_TYPE_`.
             * @example MERGE_MESSAGE
             */
            type: string;
            fid: number | null;
            message_type: string | null;
            hash: string | null;
            /**
             * @description The beginning of a text, or what the event is about.
             * @example The first tomatoes are ripe.
             */
            summary: string;
        };
        EventResponse: {
            event: components["schemas"]["LoggedEvent"];
            /** @description All fields, in the JSON of the hub API. */
            decoded: {
                [key: string]: unknown;
            };
            /**
             * @description Of the event as it is stored.
             * @example 312
             */
            bytes: number;
            check: components["schemas"]["MessageCheck"] | null;
        };
        /** @description What a check of a message has found, made for this request. */
        MessageCheck: {
            /** @constant */
            object: "message_check";
            /**
             * @description It is the hash of the signed data.
             * @example true
             */
            hash_is_valid: boolean;
            /**
             * @description It is a signature of the hash by the signer.
             * @example true
             */
            signature_is_valid: boolean;
            claim_is_valid: boolean | null;
            problem: string | null;
            /** @example 0x4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d4e7d */
            signer: string;
            /**
             * @description Whether the key may sign for the user now: `active` or `removed` on chain, `by message` for one that the user granted by a message, `expired` when such a key was not used for longer than its time, `unknown` for any other.
             * @enum {string}
             */
            signer_state: "active" | "removed" | "unknown" | "by message" | "expired";
        };
        AuditLogResponse: {
            entries: components["schemas"]["AuditEntry"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A change that was asked of the admin API. */
        AuditEntry: {
            /** @constant */
            object: "audit_entry";
            /** @example 42 */
            id: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            session_id: number | null;
            /**
             * @description Address of the client.
             * @example 127.0.0.1
             */
            address: string;
            /** @example PATCH apps/{id} */
            operation: string;
            /** @description Parameters of the path. */
            params: {
                [key: string]: unknown;
            };
            body: {
                [key: string]: unknown;
            } | null;
            status: number | null;
            error: string | null;
        };
        AccountsResponse: {
            /** @description Where accounts are registered. null: nowhere. */
            network: string | null;
            pool: components["schemas"]["FidPoolCounts"];
            /**
             * Format: int32
             * @example 12
             */
            wallets: number;
            /**
             * Format: int32
             * @example 12
             */
            pending_registrations: number;
            /**
             * Format: int32
             * @example 12
             */
            pending_transactions: number;
        };
        /** @description Fids of that network: paid for and not registered yet, available, held for a request, used. */
        FidPoolCounts: {
            /**
             * Format: int32
             * @example 12
             */
            ordered: number;
            /**
             * Format: int32
             * @example 12
             */
            available: number;
            /**
             * Format: int32
             * @example 12
             */
            held: number;
            /**
             * Format: int32
             * @example 12
             */
            used: number;
        };
        WalletsResponse: {
            wallets: components["schemas"]["AccountWallet"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A wallet that pays for accounts. */
        AccountWallet: {
            /** @constant */
            object: "account_wallet";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            app_id: string;
            /**
             * @description Name of the app.
             * @example garden
             */
            app: string;
            /**
             * @description `local`, or a chain: `eip155:` and its id.
             * @example eip155:10
             */
            network: string;
            address: components["schemas"]["EthAddress"];
            /** @description Page of a public explorer; null on other networks. */
            explorer_url: string | null;
            /** @description What it can spend; null if the network did not say. */
            balance: string | null;
            /** @description Why there is no balance. */
            balance_problem: string | null;
            /**
             * Format: int32
             * @example 12
             */
            fid_pool_size: number;
            /**
             * Format: int32
             * @example 12
             */
            fids_ordered: number;
            /**
             * Format: int32
             * @example 12
             */
            fids_used: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
        };
        PoolFidsResponse: {
            fids: components["schemas"]["PoolFid"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A fid that a wallet has ordered. */
        PoolFid: {
            /** @constant */
            object: "pool_fid";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /** @description null until it is registered. */
            fid: components["schemas"]["Fid"] | null;
            /** @enum {string} */
            state: "ordered" | "available" | "held" | "used";
            /**
             * @description `local`, or a chain: `eip155:` and its id.
             * @example eip155:10
             */
            network: string;
            /**
             * Format: uuid
             * @description Wallet.
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            paid_by: string;
            /** @description Wallet. */
            held_by: string | null;
            held_until: string | null;
            used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            ordered_at: string;
            /**
             * Format: int32
             * @description Failed attempts to register it.
             * @example 12
             */
            failures: number;
            /** @description Only while it is ordered. */
            next_attempt_at: string | null;
        };
        RegistrationsResponse: {
            registrations: components["schemas"]["AccountRegistration"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description The registration of an account that a wallet pays for. */
        AccountRegistration: {
            /** @constant */
            object: "account_registration";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /**
             * @description `user`: `POST user`, with a fid of the pool. `direct`: `POST user/register`.
             * @enum {string}
             */
            kind: "user" | "direct";
            fid: components["schemas"]["Fid"] | null;
            fname: string | null;
            /**
             * @description Name of the app.
             * @example garden
             */
            app: string;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            wallet_id: string;
            /**
             * @description `user`: `accepted`, `keyed`, `transferred`, `named`, `done`, `undoing`, `undone`. `direct`: `2 calls done`, `done`.
             * @example transferred
             */
            step: string;
            /** @example true */
            is_pending: boolean;
            problems: string[];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            attempted_at: string;
            finished_at: string | null;
        };
        WalletTransactionsResponse: {
            transactions: components["schemas"]["WalletTransaction"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A purchase of a wallet. */
        WalletTransaction: {
            /** @constant */
            object: "wallet_transaction";
            /** @example 42 */
            id: number;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            wallet_id: string;
            /**
             * @description `local`, or a chain: `eip155:` and its id.
             * @example eip155:10
             */
            network: string;
            /** @example fid pool 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55 */
            purpose: string;
            /** @enum {string} */
            state: "recorded" | "confirmed" | "reverted";
            /** @example 7 */
            nonce: number;
            /**
             * Format: int32
             * @description How often it was signed, each time with a higher fee.
             * @example 12
             */
            attempts: number;
            /** @description Of the included transaction, or of the last attempt. */
            hash: string | null;
            /** @description Page of a public explorer; null on other networks. */
            explorer_url: string | null;
            fid: components["schemas"]["Fid"] | null;
            /**
             * @description Wei.
             * @example 82000000000000
             */
            max_cost: string;
            cost: string | null;
            failure: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            settled_at: string | null;
        };
        TrackedTokensResponse: {
            networks: string[];
            /**
             * Format: int32
             * @description Most tokens that requests may add (`MAX_TRACKED_TOKENS`).
             * @example 12
             */
            max_tracked_tokens: number;
            tokens: components["schemas"]["TrackedToken"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A token whose balances are indexed. */
        TrackedToken: {
            /** @constant */
            object: "tracked_token";
            /**
             * Format: int32
             * @example 7
             */
            id: number;
            /** @example base */
            network: string;
            address: components["schemas"]["EthAddress"];
            /** @example Apple */
            name: string;
            /** @example APL */
            symbol: string;
            /**
             * Format: int32
             * @example 12
             */
            decimals: number;
            logo: string | null;
            /**
             * @description `request`: a request for an unknown token added it.
             * @enum {string}
             */
            tracked_by: "operator" | "request";
            /** @example false */
            is_dollar: boolean;
            price_usd: number | null;
            pools: components["schemas"]["EthAddress"][];
            backfill: components["schemas"]["TokenBackfill"];
            /**
             * Format: int32
             * @description Addresses with a balance, counted up to 10,001.
             * @example 12
             */
            holders: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            requested_at: string;
        };
        /** @description How far the history of a token is read. */
        TokenBackfill: {
            /**
             * @description `waiting`: its first block, or the block where live tracking begins, is not known yet.
             * @enum {string}
             */
            state: "waiting" | "running" | "done";
            /** @example 0.42 */
            progress: number;
            first_block: number | null;
            next_block: number | null;
            end_block: number | null;
        };
        TrackedTokenResponse: {
            token: components["schemas"]["TrackedToken"];
        };
        ConfigurationResponse: {
            variables: components["schemas"]["ConfigurationEntry"][];
        };
        /** @description An environment variable as the process has read it. */
        ConfigurationEntry: {
            /** @constant */
            object: "configuration_entry";
            /** @example API_RATE_LIMIT */
            name: string;
            /**
             * @description What it is for.
             * @example Serve the main API
             */
            task: string;
            /** @example Requests per minute of a key. */
            description: string;
            /** @enum {string} */
            source: "environment" | "default" | "not set";
            /**
             * @description Its value is never shown.
             * @example false
             */
            is_secret: boolean;
            /** @description As it is used; null for a secret, and where there is none. */
            value: string | null;
            /** @description In Markdown where it is computed. */
            default: string | null;
        };
        SystemResponse: {
            migrations: components["schemas"]["Migration"][];
            partitions: components["schemas"]["Partition"][];
            caches: components["schemas"]["CacheState"][];
        };
        /** @description A change of the schema. */
        Migration: {
            /** @constant */
            object: "migration";
            /** @example 0120_console */
            name: string;
            /**
             * @description `newer`: applied by a newer version.
             * @enum {string}
             */
            state: "applied" | "pending" | "newer";
            applied_at: string | null;
        };
        /** @description A part of a table. */
        Partition: {
            /** @constant */
            object: "partition";
            /** @example hub.events */
            table: string;
            /** @example hub.events_2026_05_01 */
            name: string;
            /** @example FOR VALUES FROM ('2026-05-01') TO ('2026-05-02') */
            bounds: string;
            /**
             * Format: int64
             * @example 52428800
             */
            bytes: number;
            /**
             * @description Estimated.
             * @example 420000
             */
            rows: number;
        };
        /** @description A cache of the process that replies, since its start. */
        CacheState: {
            /** @constant */
            object: "cache";
            /** @example users */
            name: string;
            /** @example 1200 */
            lookups: number;
            /** @description Share of lookups that found something; null without lookups. */
            hit_share: number | null;
            /** @description null where they are not counted. */
            entries: number | null;
            /** @description null where they are not counted. */
            bytes: number | null;
        };
        JobsResponse: {
            jobs: components["schemas"]["Job"][];
        };
        /** @description What a process repeats. */
        Job: {
            /** @constant */
            object: "job";
            /** @example search lists */
            name: string;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            process_id: string;
            /** @example plaza-1 */
            host: string;
            /** @example 4711 */
            pid: number;
            /** @example 60000 */
            every_ms: number;
            /**
             * @description Every process runs it; otherwise one does, of those with its role.
             * @example false
             */
            per_process: boolean;
            /**
             * @description Since the start of the process.
             * @example 12
             */
            runs: number;
            /**
             * @description Of these.
             * @example 0
             */
            failures: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            started_at: string;
            /** @description Of the last run; null while the first goes on. */
            duration_ms: number | null;
            /** @description null while it runs. */
            next_at: string | null;
            /** @description Of the last run that failed. */
            error: string | null;
            failed_at: string | null;
        };
        MaintenanceRunsResponse: {
            runs: components["schemas"]["MaintenanceRun"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A replay, a recount or a comparison with the upstream. */
        MaintenanceRun: {
            /** @constant */
            object: "maintenance_run";
            /** @example 42 */
            id: number;
            /** @enum {string} */
            kind: "replay" | "recount" | "reconcile";
            extra: ("keep" | "remove" | "send") | null;
            /**
             * @description `waiting`: for a process with its role. `interrupted`: its process ended, or does not answer.
             * @enum {string}
             */
            state: "waiting" | "running" | "done" | "failed" | "cancelled" | "interrupted";
            /**
             * @description It is to be cancelled, and still runs.
             * @example false
             */
            is_cancelling: boolean;
            step: string | null;
            /** @example 42000 */
            done: number;
            /** @description Approximate; null where it is not known. */
            total: number | null;
            /**
             * @description What `done` and `total` count.
             * @example messages
             */
            unit: string;
            report: string[];
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            requested_at: string;
            started_at: string | null;
            finished_at: string | null;
        };
        MaintenanceRunResponse: {
            run: components["schemas"]["MaintenanceRun"];
        };
    };
    responses: {
        /** @description A parameter or a member of the body is wrong: `property` names it. */
        BadRequest: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The API key or the bearer token is missing, wrong or expired. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The body is too large. */
        ContentTooLarge: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The key is above its rate limit. */
        TooManyRequests: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The server failed; `message` has the request id of its log. */
        InternalError: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The operation needs what this server has not configured, or does not serve. */
        NotServed: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description Another server did not answer, such as an RPC of a chain or a page. */
        OtherSideFailed: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The database is not available or took too long. */
        Unavailable: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description A parameter or a member of the body is wrong: `property` names it. */
        AdminBadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The admin token is missing or wrong. */
        AdminUnauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The body is too large. */
        AdminContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description This address has sent too many wrong tokens. */
        AdminTooManyAttempts: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The server failed; `message` has the request id of its log. */
        AdminInternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The operation needs what this server has not configured, or does not serve. */
        AdminNotServed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description Another server did not answer, such as an RPC of a chain or a page. */
        AdminOtherSideFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The database is not available or took too long. */
        AdminUnavailable: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCastSearch: {
        parameters: {
            query: {
                /**
                 * @description Search text with operators; see the description of the operation.
                 * @example tomato from:dwr
                 */
                q: string;
                /**
                 * @description Only casts by this author.
                 * @example 3
                 */
                author_fid?: number;
                /**
                 * @description Only casts in this channel, including replies in its threads.
                 * @example gardening
                 */
                channel_id?: string;
                /**
                 * @description `literal` matches words, `semantic` the meaning of the text without its filters, `hybrid` both. The latter need an embedding model (`AI_EMBEDDING_MODEL`); without one they are a 501.
                 * @example literal
                 */
                mode?: "literal" | "semantic" | "hybrid";
                /**
                 * @description Newest first, oldest first, or by activity and age. Default: `desc_chron`; with `semantic` and `hybrid` the best match first.
                 * @example desc_chron
                 */
                sort_type?: "desc_chron" | "chron" | "algorithmic";
                /** @description Only casts directly below this URL. */
                parent_url?: string;
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CastsSearchResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCastConversation: {
        parameters: {
            query: {
                /**
                 * @description Hash of a cast, or URL of its page in a client; see `type`.
                 * @example https://farcaster.xyz/dwr/0x71d5225f
                 */
                identifier: string;
                /**
                 * @description Type of `identifier`.
                 * @example url
                 */
                type: "url" | "hash";
                /**
                 * @description Depth of replies: 0 for none, 1 for direct replies.
                 * @example 2
                 */
                reply_depth?: number;
                /**
                 * @description Add the casts that the cast replies to, oldest first, up to 100.
                 * @example false
                 */
                include_chronological_parent_casts?: boolean;
                /**
                 * @description Order of replies.
                 * @example chron
                 */
                sort_type?: "chron" | "desc_chron" | "algorithmic";
                /**
                 * @description Only replies above or below the fold. Without it, all replies.
                 * @example above
                 */
                fold?: "above" | "below";
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no such cast */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCasts: {
        parameters: {
            query: {
                /**
                 * @description Hashes of casts.
                 * @example [
                 *       "0x71d5225f77e0164388b1d4c120825f3a2c1f131c"
                 *     ]
                 */
                casts: string[];
                /**
                 * @description Order of the casts. Without it, the order of the request.
                 * @example trending
                 */
                sort_type?: "trending" | "likes" | "recasts" | "replies" | "recent";
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CastsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannelFollowers: {
        parameters: {
            query: {
                /**
                 * @description Id of the channel.
                 * @example gardening
                 */
                id: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannelList: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannel: {
        parameters: {
            query: {
                /**
                 * @description Id or parent URL of the channel; see `type`.
                 * @example gardening
                 */
                id: string;
                /**
                 * @description Type of `id`, by default `id`.
                 * @example id
                 */
                type?: "id" | "parent_url";
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postChannel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "name": "Gardening",
                 *       "description": "Everything that grows.",
                 *       "url": "https://example.com/garden",
                 *       "image_url": "https://example.com/images/garden.png",
                 *       "external_link": {
                 *         "title": "Website",
                 *         "url": "https://example.com/garden"
                 *       },
                 *       "pinned_cast_hash": "0x71d5225f77e0164388b1d4c120825f3a2c1f131c",
                 *       "channel_id": "gardening",
                 *       "parent_url": "https://farcaster.xyz/~/channel/gardening"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Display name of the channel.
                     * @example Gardening
                     */
                    name?: string;
                    /**
                     * @description Description of the channel; `@name` mentions a user.
                     * @example Everything that grows.
                     */
                    description?: string;
                    /**
                     * @description Page of the channel, the parent URL by default.
                     * @example https://example.com/garden
                     */
                    url?: string;
                    image_url?: string | null;
                    external_link?: {
                        /** @example Website */
                        title: string;
                        /**
                         * @description Target of the link.
                         * @example https://example.com/garden
                         */
                        url: string;
                    } | null;
                    pinned_cast_hash?: string | null;
                    /**
                     * @description Id of the channel. It cannot change.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Parent URL of its casts, `https://farcaster.xyz/~/channel/ID` by default. It cannot change.
                     * @example https://farcaster.xyz/~/channel/gardening
                     */
                    parent_url?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer belongs to another app, is not approved, is revoked, or lacks the permission: `code` tells which. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description Another channel has the id or the parent URL. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    patchChannel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "name": "Gardening",
                 *       "description": "Everything that grows.",
                 *       "url": "https://example.com/garden",
                 *       "image_url": "https://example.com/images/garden.png",
                 *       "external_link": {
                 *         "title": "Website",
                 *         "url": "https://example.com/garden"
                 *       },
                 *       "pinned_cast_hash": "0x71d5225f77e0164388b1d4c120825f3a2c1f131c",
                 *       "channel_id": "gardening"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Display name of the channel.
                     * @example Gardening
                     */
                    name?: string;
                    /**
                     * @description Description of the channel; `@name` mentions a user.
                     * @example Everything that grows.
                     */
                    description?: string;
                    /**
                     * @description Page of the channel, the parent URL by default.
                     * @example https://example.com/garden
                     */
                    url?: string;
                    image_url?: string | null;
                    external_link?: {
                        /** @example Website */
                        title: string;
                        /**
                         * @description Target of the link.
                         * @example https://example.com/garden
                         */
                        url: string;
                    } | null;
                    pinned_cast_hash?: string | null;
                    /**
                     * @description Id of the channel. It cannot change.
                     * @example gardening
                     */
                    channel_id: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user does not lead the channel. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannelSearch: {
        parameters: {
            query: {
                /**
                 * @description Part of the id or the name. Case does not matter.
                 * @example garden
                 */
                q: string;
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelSearchResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFeedUserCasts: {
        parameters: {
            query: {
                /**
                 * @description Fid of the author.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description Only casts made with the app of this fid.
                 * @example 3
                 */
                app_fid?: number;
                /**
                 * @description Include replies.
                 * @example true
                 */
                include_replies?: boolean;
                /** @description Only casts directly below this URL. Excludes `channel_id`. */
                parent_url?: string;
                /**
                 * @description Only casts in this channel, including replies in its threads. Excludes `parent_url`.
                 * @example gardening
                 */
                channel_id?: string;
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFeedUserRepliesAndRecasts: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description Kinds to return.
                 * @example all
                 */
                filter?: "replies" | "recasts" | "all";
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFollowers: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
                /**
                 * @description Newest first, or by popularity. `affinity_score` is the former name of `algorithmic`.
                 * @example desc_chron
                 */
                sort_type?: "desc_chron" | "algorithmic" | "affinity_score";
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FollowersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFollowing: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
                /**
                 * @description Newest first, or by popularity. `affinity_score` is the former name of `algorithmic`.
                 * @example desc_chron
                 */
                sort_type?: "desc_chron" | "algorithmic" | "affinity_score";
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FollowersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReactionsCast: {
        parameters: {
            query: {
                /**
                 * @description Hash of the cast.
                 * @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c
                 */
                hash: string;
                /**
                 * @description Types of reactions.
                 * @example [
                 *       "all"
                 *     ]
                 */
                types: ("all" | "likes" | "recasts")[];
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReactionsCastResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStorageAllocations: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageAllocationsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no user with this fid. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStorageUsage: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUsageResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no user with this fid. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUserBulkByAddress: {
        parameters: {
            query: {
                /**
                 * @description Ethereum and Solana addresses.
                 * @example [
                 *       "0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1"
                 *     ]
                 */
                addresses: string[];
                /**
                 * @description Types of addresses to match. Without it, both.
                 * @example [
                 *       "custody_address"
                 *     ]
                 */
                address_types?: ("custody_address" | "verified_address")[];
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUsersByAddressResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUserBulk: {
        parameters: {
            query: {
                /**
                 * @description Fids of users.
                 * @example [
                 *       3
                 *     ]
                 */
                fids: number[];
                /**
                 * @description The viewer. Adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUsersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUserSearch: {
        parameters: {
            query: {
                /**
                 * @description Search text. A leading `@` is ignored.
                 * @example dw
                 */
                q: string;
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 5
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserSearchResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postBan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fids": [
                 *         191
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Fids of the users. Duplicates count once. */
                    fids: number[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description One of the fids is not registered. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The app would ban more than 10000 users. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteBan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fids": [
                 *         191
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Fids of the users. Duplicates count once. */
                    fids: number[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "unbanned: 1"
                     *     }
                     */
                    "application/json": components["schemas"]["BanResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBanList: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMuteList: {
        parameters: {
            query: {
                /**
                 * @description Fid of the muting user.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MuteListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description With STRICT_FIDS: the user of `fid` has not approved a signer of this app. By default, any app may call this for any user. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBlockList: {
        parameters: {
            query?: {
                /**
                 * @description Fid of the blocking user.
                 * @example 3
                 */
                blocker_fid?: number;
                /** @description Fid of the blocked user. */
                blocked_fid?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNotifications: {
        parameters: {
            query: {
                /**
                 * @description Fid of the user whose notifications are listed.
                 * @example 3
                 */
                fid: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 15
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
                /**
                 * @description Types of notifications. Without it, all types.
                 * @example [
                 *       "follows"
                 *     ]
                 */
                type?: components["schemas"]["NotificationType"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description With STRICT_FIDS: the user of `fid` has not approved a signer of this app. By default, any app may call this for any user. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    putChannelMemberInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "role": "member",
                 *       "accept": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Role in the channel. `owner` is a 400: the owner is the lead of the channel.
                     * @enum {string}
                     */
                    role: "member" | "moderator" | "owner";
                    /** @description true accepts the invite, false rejects it. */
                    accept: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel, or no open invite for the role. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The invite has already been answered. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postChannelMemberInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "role": "member",
                 *       "fid": 191
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Role in the channel. `owner` is a 400: the owner is the lead of the channel.
                     * @enum {string}
                     */
                    role: "member" | "moderator" | "owner";
                    /**
                     * Format: int32
                     * @description Fid of the user.
                     * @example 191
                     */
                    fid: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user may not invite. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer, channel or user. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The channel has its maximum of active and invited moderators. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannelMemberInviteList: {
        parameters: {
            query?: {
                /**
                 * @description Id of the channel.
                 * @example gardening
                 */
                channel_id?: string;
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                invited_fid?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelMemberInviteListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannelMemberList: {
        parameters: {
            query: {
                /**
                 * @description Id of the channel.
                 * @example gardening
                 */
                channel_id: string;
                /** @description Only this user. */
                fid?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelMemberListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteChannelMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "role": "member",
                 *       "fid": 191
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Role in the channel. `owner` is a 400: the owner is the lead of the channel.
                     * @enum {string}
                     */
                    role: "member" | "moderator" | "owner";
                    /**
                     * Format: int32
                     * @description Fid of the user.
                     * @example 191
                     */
                    fid: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user may not remove this user. Nobody may remove the owner. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel, or the user has neither the role nor an invite to it. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description In a channel of the protocol, the role of the user has changed meanwhile. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postChannelBan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "fid": 191
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * Format: int32
                     * @description Fid of the user.
                     * @example 191
                     */
                    fid: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "banned"
                     *     }
                     */
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user neither owns nor moderates the channel. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The user is in no state for it: banned already, or not banned. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteChannelBan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "fid": 191
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * Format: int32
                     * @description Fid of the user.
                     * @example 191
                     */
                    fid: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "not banned"
                     *     }
                     */
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user neither owns nor moderates the channel. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The user is in no state for it: banned already, or not banned. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postChannelHide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "cast_hash": "0x71d5225f77e0164388b1d4c120825f3a2c1f131c"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Hash of the cast.
                     * @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c
                     */
                    cast_hash: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "hidden"
                     *     }
                     */
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user neither owns nor moderates the channel. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The channel has its maximum of casts whose moderation is stored. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteChannelHide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer_uuid": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "channel_id": "gardening",
                 *       "cast_hash": "0x71d5225f77e0164388b1d4c120825f3a2c1f131c"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description UUID of the signer that acts. It must belong to the app of the API key.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    signer_uuid: string;
                    /**
                     * @description Id of the channel.
                     * @example gardening
                     */
                    channel_id: string;
                    /**
                     * @description Hash of the cast.
                     * @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c
                     */
                    cast_hash: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "not hidden"
                     *     }
                     */
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signer may not act, or its user neither owns nor moderates the channel. */
            403: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description There is no such signer or channel. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The channel has its maximum of casts whose moderation is stored. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query: {
                /**
                 * @description Id of the webhook.
                 * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                 */
                webhook_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    putWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "name": "new casts",
                 *       "url": "https://garden.example.com/webhook",
                 *       "subscription": {
                 *         "cast.created": {
                 *           "author_fids": [
                 *             3
                 *           ]
                 *         },
                 *         "follow.created": {
                 *           "target_fids": [
                 *             3
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the webhook.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    webhook_id: string;
                    /**
                     * @description Name of the webhook.
                     * @example new casts
                     */
                    name: string;
                    /**
                     * @description Target of events: an https URL on the public internet, without credentials.
                     * @example https://garden.example.com/webhook
                     */
                    url: string;
                    subscription?: components["schemas"]["WebhookSubscriptionFilters"];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The app has another webhook with the same URL and filters. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "new casts",
                 *       "url": "https://garden.example.com/webhook",
                 *       "subscription": {
                 *         "cast.created": {
                 *           "author_fids": [
                 *             3
                 *           ]
                 *         },
                 *         "follow.created": {
                 *           "target_fids": [
                 *             3
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name of the webhook.
                     * @example new casts
                     */
                    name: string;
                    /**
                     * @description Target of events: an https URL on the public internet, without credentials.
                     * @example https://garden.example.com/webhook
                     */
                    url: string;
                    subscription?: components["schemas"]["WebhookSubscriptionFilters"];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The app has another webhook with the same URL and filters. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the webhook.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    webhook_id: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    patchWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "active": "true"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the webhook.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    webhook_id: string;
                    /**
                     * @description A string, not a boolean.
                     * @enum {string}
                     */
                    active: "true" | "false";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postWebhookSecretRotate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "grace_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the webhook.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    webhook_id: string;
                    /**
                     * @description Seconds that the old secret stays valid. 0 ends it at once, for example after a leak.
                     * @default 86400
                     */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookDeliveries: {
        parameters: {
            query: {
                /**
                 * @description Id of the webhook.
                 * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                 */
                webhook_id: string;
                /**
                 * @description Only deliveries with this status.
                 * @example waiting
                 */
                status?: "waiting" | "sending" | "delivered" | "failed" | "canceled";
                /**
                 * @description Only events of this type.
                 * @example cast.created
                 */
                type?: "cast.created" | "cast.deleted" | "follow.created" | "follow.deleted" | "reaction.created" | "reaction.deleted" | "trade.created" | "user.created" | "user.updated";
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveriesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query: {
                /**
                 * @description Id of the delivery.
                 * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                 */
                delivery_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such delivery. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postWebhookDeliveriesRedeliver: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "delivery_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the delivery.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    delivery_id?: string;
                    /** @description Id of the webhook. */
                    webhook_id?: string;
                    /** @description Only deliveries queued since this time. */
                    since?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedeliverResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such delivery or webhook. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The webhook is inactive, or the delivery has not ended. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postWebhookTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec",
                 *       "type": "cast.created"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the webhook.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    webhook_id: string;
                    /**
                     * @description Type of the event.
                     * @default cast.created
                     * @enum {string}
                     */
                    type?: "cast.created" | "cast.deleted" | "follow.created" | "follow.deleted" | "reaction.created" | "reaction.deleted" | "trade.created" | "user.created" | "user.updated";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description there is no webhook with this webhook_id */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The webhook is inactive. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postWebhookPreview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscription": {
                 *         "cast.created": {
                 *           "author_fids": [
                 *             3
                 *           ]
                 *         },
                 *         "follow.created": {
                 *           "target_fids": [
                 *             3
                 *           ]
                 *         }
                 *       },
                 *       "samples": 5
                 *     }
                 */
                "application/json": {
                    subscription: components["schemas"]["WebhookSubscriptionFilters"];
                    /**
                     * @description Maximum number of samples.
                     * @default 5
                     */
                    samples?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPreviewResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFrameNotificationTokens: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Only tokens of these users.
                 * @example [
                 *       3
                 *     ]
                 */
                fids?: number[];
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FrameNotificationTokens"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFrameNotificationTokensCount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTokenCounts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFrameNotifications: {
        parameters: {
            query?: {
                /**
                 * @description Id of the campaign.
                 * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                 */
                campaign_id?: string;
                /**
                 * @description Maximum number of items on a page.
                 * @example 100
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCampaignsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postFrameNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "notification": {
                 *         "title": "Harvest time",
                 *         "body": "Your tomatoes are ripe.",
                 *         "target_url": "https://garden.example.com/harvest",
                 *         "uuid": "5b0e7c1d-2a3f-4e6b-8c9d-0a1b2c3d4e5f"
                 *       },
                 *       "target_fids": [],
                 *       "filters": {
                 *         "following_fid": 3,
                 *         "minimum_user_score": 0.5,
                 *         "near_location": {
                 *           "latitude": 52.52,
                 *           "longitude": 13.4,
                 *           "radius": 5000
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    notification: {
                        /**
                         * @description Title of the notification.
                         * @example Harvest time
                         */
                        title: string;
                        /**
                         * @description Text of the notification.
                         * @example Your tomatoes are ripe.
                         */
                        body: string;
                        /**
                         * @description https URL on the domain of the mini app that the notification opens.
                         * @example https://garden.example.com/harvest
                         */
                        target_url: string;
                        /**
                         * @description Idempotency key: users who were reached with it are not notified again within 24 hours.
                         * @example 5b0e7c1d-2a3f-4e6b-8c9d-0a1b2c3d4e5f
                         */
                        uuid?: string;
                    };
                    /** @description Users to notify. Absent or empty: all users who have enabled notifications of the mini app. */
                    target_fids?: number[];
                    /** @description Filters of the audience. All of them must match. */
                    filters?: {
                        /** @description Users to leave out. */
                        exclude_fids?: number[];
                        /**
                         * Format: int32
                         * @description Only users who follow this user.
                         * @example 3
                         */
                        following_fid?: number;
                        /**
                         * Format: double
                         * @description Only users with at least this score.
                         * @example 0.5
                         */
                        minimum_user_score?: number;
                        /** @description Only users whose profile location is within this circle. */
                        near_location?: {
                            /**
                             * Format: double
                             * @description Latitude in degrees.
                             * @example 52.52
                             */
                            latitude: number;
                            /**
                             * Format: double
                             * @description Longitude in degrees.
                             * @example 13.4
                             */
                            longitude: number;
                            /**
                             * @description Radius in meters, by default 100000. Half the circumference of the earth at most counts.
                             * @example 5000
                             */
                            radius?: number;
                            /** @description Name of the place. It has no effect; only the coordinates count. */
                            address?: components["schemas"]["LocationAddress"];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendFrameNotificationsResponse"];
                };
            };
            /** @description The campaign is queued. `GET frame/notifications` has its progress. */
            202: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedFrameNotificationsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The app of this API key has no mini app: it has no mini app domain. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            /** @description `target_url` is not on the domain of the mini app. */
            422: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteFrameNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "campaign_id": "19d0c5fd-9b33-4a48-a0e2-bc7b0555baec"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the campaign.
                     * @example 19d0c5fd-9b33-4a48-a0e2-bc7b0555baec
                     */
                    campaign_id: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "the campaign is canceled"
                     *     }
                     */
                    "application/json": components["schemas"]["OperationResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no campaign with this campaign_id. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The campaign has ended. */
            409: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postFrameNotificationsPreview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target_fids": [],
                 *       "filters": {
                 *         "following_fid": 3,
                 *         "minimum_user_score": 0.5,
                 *         "near_location": {
                 *           "latitude": 52.52,
                 *           "longitude": 13.4,
                 *           "radius": 5000
                 *         }
                 *       },
                 *       "uuid": "5b0e7c1d-2a3f-4e6b-8c9d-0a1b2c3d4e5f"
                 *     }
                 */
                "application/json": {
                    /** @description Users to notify. Absent or empty: all users who have enabled notifications of the mini app. */
                    target_fids?: number[];
                    /** @description Filters of the audience. All of them must match. */
                    filters?: {
                        /** @description Users to leave out. */
                        exclude_fids?: number[];
                        /**
                         * Format: int32
                         * @description Only users who follow this user.
                         * @example 3
                         */
                        following_fid?: number;
                        /**
                         * Format: double
                         * @description Only users with at least this score.
                         * @example 0.5
                         */
                        minimum_user_score?: number;
                        /** @description Only users whose profile location is within this circle. */
                        near_location?: {
                            /**
                             * Format: double
                             * @description Latitude in degrees.
                             * @example 52.52
                             */
                            latitude: number;
                            /**
                             * Format: double
                             * @description Longitude in degrees.
                             * @example 13.4
                             */
                            longitude: number;
                            /**
                             * @description Radius in meters, by default 100000. Half the circumference of the earth at most counts.
                             * @example 5000
                             */
                            radius?: number;
                            /** @description Name of the place. It has no effect; only the coordinates count. */
                            address?: components["schemas"]["LocationAddress"];
                        };
                    };
                    /**
                     * @description Idempotency key: users who were reached with it are not notified again within 24 hours.
                     * @example 5b0e7c1d-2a3f-4e6b-8c9d-0a1b2c3d4e5f
                     */
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreviewResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The app of this API key has no mini app: it has no mini app domain. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    postFrameNotificationsMap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target_fids": [],
                 *       "filters": {
                 *         "following_fid": 3,
                 *         "minimum_user_score": 0.5,
                 *         "near_location": {
                 *           "latitude": 52.52,
                 *           "longitude": 13.4,
                 *           "radius": 5000
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Users to notify. Absent or empty: all users who have enabled notifications of the mini app. */
                    target_fids?: number[];
                    /** @description Filters of the audience. All of them must match. */
                    filters?: {
                        /** @description Users to leave out. */
                        exclude_fids?: number[];
                        /**
                         * Format: int32
                         * @description Only users who follow this user.
                         * @example 3
                         */
                        following_fid?: number;
                        /**
                         * Format: double
                         * @description Only users with at least this score.
                         * @example 0.5
                         */
                        minimum_user_score?: number;
                        /** @description Only users whose profile location is within this circle. */
                        near_location?: {
                            /**
                             * Format: double
                             * @description Latitude in degrees.
                             * @example 52.52
                             */
                            latitude: number;
                            /**
                             * Format: double
                             * @description Longitude in degrees.
                             * @example 13.4
                             */
                            longitude: number;
                            /**
                             * @description Radius in meters, by default 100000. Half the circumference of the earth at most counts.
                             * @example 5000
                             */
                            radius?: number;
                            /** @description Name of the place. It has no effect; only the coordinates count. */
                            address?: components["schemas"]["LocationAddress"];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationMapResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The app of this API key has no mini app: it has no mini app domain. */
            404: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFungibleOwnerRelevant: {
        parameters: {
            query: {
                /**
                 * @description Contract address of the token.
                 * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
                 */
                contract_address: string;
                /**
                 * @description Network of the token. Tokens of `solana` are a 501.
                 * @example base
                 */
                network?: "ethereum" | "optimism" | "base" | "arbitrum" | "solana";
                /** @description What older clients send for `network`: one network. Ignored beside `network`. */
                networks?: ("ethereum" | "optimism" | "base" | "arbitrum" | "solana")[];
                /**
                 * @description The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.
                 * @example 191
                 */
                viewer_fid?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelevantFungibleOwnersResponse"];
                };
            };
            /** @description The owners of a token are not indexed completely yet: it was requested for the first time, or its history is being read, which the request has waited for some seconds. Try again later; a list is never incomplete. */
            202: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FungiblesNotReady"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFungibleTrades: {
        parameters: {
            query: {
                /**
                 * @description Network of the token. `robinhood` is not supported and always a 501.
                 * @example base
                 */
                network: "ethereum" | "optimism" | "base" | "arbitrum" | "robinhood";
                /**
                 * @description Contract address of the token.
                 * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
                 */
                address: string;
                /**
                 * @description Time range that ends now.
                 * @example 24h
                 */
                time_window?: "1h" | "6h" | "12h" | "24h" | "7d";
                /**
                 * @description Only trades of at least this value.
                 * @example 100
                 */
                min_amount_usd?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                    "RateLimit-Limit"?: number;
                    /** @description Requests that are allowed now. */
                    "RateLimit-Remaining"?: number;
                    /** @description Seconds until the full limit is available. */
                    "RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FungibleTradesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NotServed"];
            502: components["responses"]["OtherSideFailed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAdminApps: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "garden",
                 *       "fid": 3,
                 *       "mini_app_domain": "garden.example.com",
                 *       "developer_uuid": "7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13",
                 *       "authorized_origins": [
                 *         "https://garden.example.com"
                 *       ],
                 *       "sign_in_permission": "read_and_write"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique name.
                     * @example garden
                     */
                    name: string;
                    fid?: number | null;
                    mini_app_domain?: string | null;
                    /**
                     * @description Developer of the app. Several apps may share it.
                     * @example 7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13
                     */
                    developer_uuid?: string;
                    /** @description Origins that may receive the result of a browser sign-in: `https://app.example.com`, `http://localhost:3000`, or the scheme of deep links, `myapp://`. Replaces the whole list. */
                    authorized_origins?: string[];
                    /**
                     * @description What a browser sign-in requests from users.
                     * @enum {string}
                     */
                    sign_in_permission?: "read_only" | "read_and_write";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description Another app has the name or the mini app domain: `property` tells which. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    patchAdminAppsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "garden",
                 *       "fid": 3,
                 *       "mini_app_domain": "garden.example.com",
                 *       "developer_uuid": "7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13",
                 *       "authorized_origins": [
                 *         "https://garden.example.com"
                 *       ],
                 *       "sign_in_permission": "read_and_write"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique name.
                     * @example garden
                     */
                    name?: string;
                    fid?: number | null;
                    mini_app_domain?: string | null;
                    /**
                     * @description Developer of the app. Several apps may share it.
                     * @example 7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13
                     */
                    developer_uuid?: string;
                    /** @description Origins that may receive the result of a browser sign-in: `https://app.example.com`, `http://localhost:3000`, or the scheme of deep links, `myapp://`. Replaces the whole list. */
                    authorized_origins?: string[];
                    /**
                     * @description What a browser sign-in requests from users.
                     * @enum {string}
                     */
                    sign_in_permission?: "read_only" | "read_and_write";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description Another app has the name or the mini app domain: `property` tells which. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsIdKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeysResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminAppsIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rate_limit": 600
                 *     }
                 */
                "application/json": {
                    rate_limit?: number | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deleteAdminKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no key with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    patchAdminKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rate_limit": 600
                 *     }
                 */
                "application/json": {
                    rate_limit: number | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no key with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsIdSigners: {
        parameters: {
            query?: {
                /**
                 * @description Fids of users, separated by commas.
                 * @example [
                 *       3
                 *     ]
                 */
                fids?: number[];
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppSignersResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsIdBansFid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanEffectResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id, or no user with this fid. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminUsersFidKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserKeysResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no user with this fid. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminUsersFidScore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Fid of the user.
                 * @example 3
                 */
                fid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreExplanationResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no user with this fid. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminCastsHashMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Hash of the cast.
                 * @example 0x71d5225f77e0164388b1d4c120825f3a2c1f131c
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CastMessageResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description No cast with this hash is stored. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminChannelsIdActivity: {
        parameters: {
            query?: {
                /**
                 * @description Number of days.
                 * @example 28
                 */
                days?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the channel.
                 * @example gardening
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelActivityResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no channel with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsIdUsage: {
        parameters: {
            query?: {
                /**
                 * @description Number of days, today among them.
                 * @example 7
                 */
                days?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppUsageResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverviewResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only these types, without `HUB_EVENT_TYPE_`, with commas between them.
                 * @example MERGE_MESSAGE,PRUNE_MESSAGE
                 */
                types?: string;
                /**
                 * @description Only of this user.
                 * @example 3
                 */
                fid?: number;
                /**
                 * @description Only of this shard.
                 * @example 1
                 */
                shard?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 100
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventLogResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminEventsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Shard and id of the event.
                 * @example 1:1097744
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description The log has no such event. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAccountsWallets: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAccountsFids: {
        parameters: {
            query?: {
                /**
                 * @description Only fids in this state.
                 * @example available
                 */
                state?: "ordered" | "available" | "held" | "used";
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolFidsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAccountsRegistrations: {
        parameters: {
            query?: {
                /**
                 * @description Only those that are not finished; false: only the others.
                 * @example true
                 */
                pending?: boolean;
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAccountsTransactions: {
        parameters: {
            query?: {
                /**
                 * @description Only transactions in this state.
                 * @example recorded
                 */
                state?: "recorded" | "confirmed" | "reverted";
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTransactionsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminTokens: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedTokensResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network": "base",
                 *       "address": "0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1",
                 *       "pools": [
                 *         "0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1"
                 *       ],
                 *       "first_block": 31180908,
                 *       "logo": "https://example.com/apple.png",
                 *       "is_dollar": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A followed network.
                     * @enum {string}
                     */
                    network: "ethereum" | "optimism" | "base" | "arbitrum";
                    /**
                     * @description Contract of the token.
                     * @example 0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1
                     */
                    address: string;
                    pools?: string[];
                    /**
                     * Format: int64
                     * @description First block with transfers. Searched when it is left out.
                     * @example 31180908
                     */
                    first_block?: number;
                    /**
                     * @description URL of its picture.
                     * @example https://example.com/apple.png
                     */
                    logo?: string;
                    /**
                     * @description A unit is worth a dollar.
                     * @default false
                     * @example false
                     */
                    is_dollar?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedTokenResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deleteAdminTokensId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the token.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedTokenResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description No tracked token has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceRunsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminMaintenance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "recount"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What to do.
                     * @enum {string}
                     */
                    kind: "replay" | "recount" | "reconcile";
                    /**
                     * @description For `reconcile`: what happens to messages that only this hub has. `keep` when it is left out.
                     * @enum {string}
                     */
                    extra?: "keep" | "remove" | "send";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceRunResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description Another run waits or goes on, or there is nothing to maintain yet. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            413: components["responses"]["AdminContentTooLarge"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deleteAdminMaintenanceId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 42
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceRunResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no run with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            501: components["responses"]["AdminNotServed"];
            502: components["responses"]["AdminOtherSideFailed"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
}
