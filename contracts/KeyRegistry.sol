// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IdRegistry} from "./IdRegistry.sol";
import {Owned} from "./Owned.sol";
import {SignedData} from "./SignedData.sol";

interface IMetadataValidator {
    function validate(uint256 fid, bytes calldata key, bytes calldata metadata) external view returns (bool);
}

/// Which keys act for which fid. A key goes from unknown to added to removed, and never back.
contract KeyRegistry is Owned, SignedData {
    error InvalidState();
    error InvalidKeyType();
    error InvalidMetadataType();
    error InvalidMetadata();
    error ValidatorNotFound(uint32 keyType, uint8 metadataType);
    error ExceedsMaximum();
    error InvalidMaxKeys();

    event Add(
        uint256 indexed fid,
        uint32 indexed keyType,
        bytes indexed key,
        bytes keyBytes,
        uint8 metadataType,
        bytes metadata
    );
    event Remove(uint256 indexed fid, bytes indexed key, bytes keyBytes);
    event AdminReset(uint256 indexed fid, bytes indexed key, bytes keyBytes);
    event Migrated(uint256 indexed keysMigratedAt);
    event SetValidator(uint32 keyType, uint8 metadataType, address oldValidator, address newValidator);
    event SetMaxKeysPerFid(uint256 oldMax, uint256 newMax);

    enum KeyState {
        NULL,
        ADDED,
        REMOVED
    }

    struct KeyData {
        KeyState state;
        uint32 keyType;
    }

    struct BulkResetData {
        uint256 fid;
        bytes[] keys;
    }

    bytes32 public constant REMOVE_TYPEHASH =
        keccak256("Remove(address owner,bytes key,uint256 nonce,uint256 deadline)");

    IdRegistry public idRegistry;
    address public keyGateway;
    uint256 public maxKeysPerFid;
    uint40 public migratedAt;
    mapping(uint256 fid => mapping(bytes key => KeyData)) public keys;
    mapping(uint256 fid => mapping(KeyState state => uint256)) private counts;
    mapping(uint32 keyType => mapping(uint8 metadataType => IMetadataValidator)) public validators;

    function _domainName() internal pure override returns (string memory) {
        return "Farcaster KeyRegistry";
    }

    function initialize(IdRegistry ids, address gateway, IMetadataValidator validator, uint256 maxKeys)
        external
        initializes
    {
        idRegistry = ids;
        keyGateway = gateway;
        maxKeysPerFid = maxKeys;
        validators[1][1] = validator;
    }

    function keyDataOf(uint256 fid, bytes calldata key) external view returns (KeyData memory) {
        return keys[fid][key];
    }

    function totalKeys(uint256 fid, KeyState state) external view returns (uint256) {
        return counts[fid][state];
    }

    function add(
        address fidOwner,
        uint32 keyType,
        bytes calldata key,
        uint8 metadataType,
        bytes calldata metadata
    ) external whenNotPaused {
        if (msg.sender != keyGateway) revert Unauthorized();
        uint256 fid = _fidOf(fidOwner);
        if (keyType == 0) revert InvalidKeyType();
        if (metadataType == 0) revert InvalidMetadataType();
        if (counts[fid][KeyState.ADDED] >= maxKeysPerFid) revert ExceedsMaximum();
        IMetadataValidator validator = validators[keyType][metadataType];
        if (address(validator) == address(0)) revert ValidatorNotFound(keyType, metadataType);
        if (keys[fid][key].state != KeyState.NULL) revert InvalidState();
        keys[fid][key] = KeyData(KeyState.ADDED, keyType);
        counts[fid][KeyState.ADDED]++;
        emit Add(fid, keyType, key, key, metadataType, metadata);
        if (!validator.validate(fid, key, metadata)) revert InvalidMetadata();
    }

    function remove(bytes calldata key) external whenNotPaused {
        _remove(_fidOf(msg.sender), key);
    }

    function removeFor(address fidOwner, bytes calldata key, uint256 deadline, bytes calldata sig)
        external
        whenNotPaused
    {
        bytes32 structHash =
            keccak256(abi.encode(REMOVE_TYPEHASH, fidOwner, keccak256(key), _useNonce(fidOwner), deadline));
        _verify(fidOwner, structHash, deadline, sig);
        _remove(_fidOf(fidOwner), key);
    }

    function bulkResetKeysForMigration(BulkResetData[] calldata items) external onlyOwner {
        for (uint256 i = 0; i < items.length; i++) {
            for (uint256 j = 0; j < items[i].keys.length; j++) {
                _reset(items[i].fid, items[i].keys[j]);
            }
        }
    }

    function migrate() external onlyOwner {
        migratedAt = uint40(block.timestamp);
        emit Migrated(block.timestamp);
    }

    function setValidator(uint32 keyType, uint8 metadataType, IMetadataValidator validator) external onlyOwner {
        emit SetValidator(keyType, metadataType, address(validators[keyType][metadataType]), address(validator));
        validators[keyType][metadataType] = validator;
    }

    function setMaxKeysPerFid(uint256 max) external onlyOwner {
        if (max <= maxKeysPerFid) revert InvalidMaxKeys();
        emit SetMaxKeysPerFid(maxKeysPerFid, max);
        maxKeysPerFid = max;
    }

    function _fidOf(address holder) internal view returns (uint256 fid) {
        fid = idRegistry.idOf(holder);
        if (fid == 0) revert Unauthorized();
    }

    function _remove(uint256 fid, bytes calldata key) internal {
        if (keys[fid][key].state != KeyState.ADDED) revert InvalidState();
        keys[fid][key].state = KeyState.REMOVED;
        counts[fid][KeyState.ADDED]--;
        counts[fid][KeyState.REMOVED]++;
        emit Remove(fid, key, key);
    }

    function _reset(uint256 fid, bytes calldata key) internal {
        if (keys[fid][key].state != KeyState.ADDED) revert InvalidState();
        keys[fid][key].state = KeyState.NULL;
        counts[fid][KeyState.ADDED]--;
        emit AdminReset(fid, key, key);
    }
}
