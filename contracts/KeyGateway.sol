// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {KeyRegistry} from "./KeyRegistry.sol";
import {Owned} from "./Owned.sol";
import {SignedData} from "./SignedData.sol";

/// Where keys are added, by the holder of a fid or with their signature.
contract KeyGateway is Owned, SignedData {
    /// What the registry refuses, which comes through.
    error InvalidState();
    error InvalidMetadata();
    error ExceedsMaximum();

    bytes32 public constant ADD_TYPEHASH = keccak256(
        "Add(address owner,uint32 keyType,bytes key,uint8 metadataType,bytes metadata,uint256 nonce,uint256 deadline)"
    );

    KeyRegistry public keyRegistry;

    function _domainName() internal pure override returns (string memory) {
        return "Farcaster KeyGateway";
    }

    function initialize(KeyRegistry keys) external initializes {
        keyRegistry = keys;
    }

    function add(uint32 keyType, bytes calldata key, uint8 metadataType, bytes calldata metadata)
        external
        whenNotPaused
    {
        keyRegistry.add(msg.sender, keyType, key, metadataType, metadata);
    }

    function addFor(
        address fidOwner,
        uint32 keyType,
        bytes calldata key,
        uint8 metadataType,
        bytes calldata metadata,
        uint256 deadline,
        bytes calldata sig
    ) external whenNotPaused {
        bytes32 structHash = keccak256(
            abi.encode(
                ADD_TYPEHASH,
                fidOwner,
                keyType,
                keccak256(key),
                metadataType,
                keccak256(metadata),
                _useNonce(fidOwner),
                deadline
            )
        );
        _verify(fidOwner, structHash, deadline, sig);
        keyRegistry.add(fidOwner, keyType, key, metadataType, metadata);
    }
}
