// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What both versions of Fabric's subscription token have: an ERC-721 whose balance is the seconds left.
abstract contract SubscriptionToken {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public name;
    string public symbol;
    string public contractURI;
    address public owner;

    mapping(address account => uint256) internal _ids;
    mapping(address account => uint256) internal _expiries;
    uint256 internal _count;

    constructor(string memory fullName, string memory shortName, string memory uri, address creator) {
        name = fullName;
        symbol = shortName;
        contractURI = uri;
        owner = creator;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _expiries[account] > block.timestamp ? _expiries[account] - block.timestamp : 0;
    }

    /// Anybody may: these are for development chains.
    function setOwner(address creator) external {
        owner = creator;
    }

    /// Ends a subscription as a refund or a revoked grant does.
    function revokeTime(address account) external {
        _expiries[account] = block.timestamp;
    }

    function _extend(address account, uint256 time) internal {
        if (_ids[account] == 0) {
            _ids[account] = ++_count;
            emit Transfer(address(0), account, _count);
        }
        uint256 from = _expiries[account] > block.timestamp ? _expiries[account] : block.timestamp;
        _expiries[account] = from + time;
    }
}

/// The reads of version 1: one price for everybody.
contract SubscriptionTokenV1 is SubscriptionToken {
    uint256 public immutable tps;
    uint256 public immutable minPurchaseSeconds;
    address public immutable erc20Address;

    constructor(
        string memory fullName,
        string memory shortName,
        string memory uri,
        address creator,
        uint256 tokensPerSecond,
        uint256 minimum,
        address token
    ) SubscriptionToken(fullName, shortName, uri, creator) {
        tps = tokensPerSecond;
        minPurchaseSeconds = minimum;
        erc20Address = token;
    }

    function grantTime(address[] calldata accounts, uint256 time) external {
        for (uint256 i = 0; i < accounts.length; i++) _extend(accounts[i], time);
    }

    function subscriptionOf(address account)
        external
        view
        returns (uint256 tokenId, uint256 refundable, uint256 rewardPoints, uint256 expiresAt)
    {
        return (_ids[account], 0, 0, _expiries[account]);
    }
}

/// The reads of version 2: tiers.
contract SubscriptionTokenV2 is SubscriptionToken {
    struct Gate {
        uint8 gateType;
        address contractAddress;
        uint256 componentId;
        uint256 balanceMin;
    }

    struct Tier {
        uint32 periodDurationSeconds;
        uint32 maxSupply;
        uint48 maxCommitmentSeconds;
        uint48 startTimestamp;
        uint48 endTimestamp;
        uint8 rewardCurveId;
        uint16 rewardBasisPoints;
        bool paused;
        bool transferrable;
        uint256 initialMintPrice;
        uint256 pricePerPeriod;
        Gate gate;
    }

    struct TierState {
        uint32 subCount;
        uint16 id;
        Tier params;
    }

    struct SubscriberView {
        uint16 tierId;
        uint64 tokenId;
        uint48 expiresAt;
        uint48 purchaseExpiresAt;
        uint256 rewardShares;
        uint256 rewardBalance;
    }

    struct ContractView {
        uint16 tierCount;
        uint64 subCount;
        uint64 supplyCap;
        address transferRecipient;
        address currency;
        uint256 creatorBalance;
        uint8 numCurves;
        uint256 rewardShares;
        uint256 rewardBalance;
        uint32 rewardSlashGracePeriod;
        bool rewardSlashable;
    }

    error TierNotFound(uint16 tierId);

    address private immutable _currency;
    TierState[] private _tiers;
    mapping(address account => uint16) private _tierOf;

    constructor(
        string memory fullName,
        string memory shortName,
        string memory uri,
        address creator,
        address token
    ) SubscriptionToken(fullName, shortName, uri, creator) {
        _currency = token;
    }

    function stpVersion() external pure returns (uint8) {
        return 2;
    }

    function createTier(Tier calldata params) external {
        _tiers.push(TierState(0, uint16(_tiers.length + 1), params));
    }

    function grantTime(address account, uint48 time, uint16 tierId) external {
        _extend(account, time);
        _tierOf[account] = tierId;
    }

    function tierDetail(uint16 tierId) external view returns (TierState memory) {
        if (tierId == 0 || tierId > _tiers.length) revert TierNotFound(tierId);
        return _tiers[tierId - 1];
    }

    function contractDetail() external view returns (ContractView memory detail) {
        detail.tierCount = uint16(_tiers.length);
        detail.subCount = uint64(_count);
        detail.currency = _currency;
    }

    function subscriptionOf(address account) external view returns (SubscriberView memory) {
        uint48 expiresAt = uint48(_expiries[account]);
        return SubscriberView(_tierOf[account], uint64(_ids[account]), expiresAt, expiresAt, 0, 0);
    }
}
