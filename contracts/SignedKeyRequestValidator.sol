// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IdRegistry} from "./IdRegistry.sol";
import {IMetadataValidator} from "./KeyRegistry.sol";
import {Owned} from "./Owned.sol";
import {SignedData} from "./SignedData.sol";

/// Whether the holder of an app's fid has asked for a key.
contract SignedKeyRequestValidator is IMetadataValidator, Owned, SignedData {
    struct SignedKeyRequestMetadata {
        uint256 requestFid;
        address requestSigner;
        bytes signature;
        uint256 deadline;
    }

    bytes32 public constant METADATA_TYPEHASH =
        keccak256("SignedKeyRequest(uint256 requestFid,bytes key,uint256 deadline)");

    IdRegistry public idRegistry;

    function _domainName() internal pure override returns (string memory) {
        return "Farcaster SignedKeyRequestValidator";
    }

    function initialize(IdRegistry ids) external initializes {
        idRegistry = ids;
    }

    function encodeMetadata(SignedKeyRequestMetadata calldata metadata) external pure returns (bytes memory) {
        return abi.encode(metadata);
    }

    function validate(uint256, bytes calldata key, bytes calldata signedKeyRequest) external view returns (bool) {
        SignedKeyRequestMetadata memory metadata = abi.decode(signedKeyRequest, (SignedKeyRequestMetadata));
        if (idRegistry.idOf(metadata.requestSigner) != metadata.requestFid) return false;
        if (block.timestamp > metadata.deadline) return false;
        if (key.length != 32) return false;
        bytes32 structHash =
            keccak256(abi.encode(METADATA_TYPEHASH, metadata.requestFid, keccak256(key), metadata.deadline));
        return _isSignedBy(metadata.requestSigner, hashTypedDataV4(structHash), metadata.signature);
    }
}
