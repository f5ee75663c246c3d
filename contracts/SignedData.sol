// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC1271 {
    function isValidSignature(bytes32 digest, bytes calldata sig) external view returns (bytes4);
}

/// Typed data (EIP-712) that accounts and contract wallets (ERC-1271) sign, each signature good once.
/// Nothing is set in a constructor, so that the code works at any address that a development chain puts it at.
abstract contract SignedData {
    error SignatureExpired();
    error InvalidSignature();
    error InvalidAccountNonce(address account, uint256 currentNonce);

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    /// Half the order of secp256k1: of the two values of s that a signature may have, only the lower is one (EIP-2).
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    mapping(address owner => uint256) public nonces;

    /// The `name` of the domain.
    function _domainName() internal pure virtual returns (string memory);

    function domainSeparatorV4() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256(bytes(_domainName())), keccak256("1"), block.chainid, address(this)
            )
        );
    }

    function hashTypedDataV4(bytes32 structHash) public view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domainSeparatorV4(), structHash));
    }

    /// Makes a signature worthless that the caller has given away.
    function useNonce() external returns (uint256) {
        return nonces[msg.sender]++;
    }

    function _useNonce(address owner) internal returns (uint256) {
        return nonces[owner]++;
    }

    function _verify(address signer, bytes32 structHash, uint256 deadline, bytes memory sig) internal view {
        if (block.timestamp > deadline) revert SignatureExpired();
        if (!_isSignedBy(signer, hashTypedDataV4(structHash), sig)) revert InvalidSignature();
    }

    function _isSignedBy(address signer, bytes32 digest, bytes memory sig) internal view returns (bool) {
        if (signer.code.length > 0) {
            try IERC1271(signer).isValidSignature(digest, sig) returns (bytes4 answer) {
                return answer == IERC1271.isValidSignature.selector;
            } catch {
                return false;
            }
        }
        if (sig.length != 65) return false;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(sig, 0x20))
            s := mload(add(sig, 0x40))
            v := byte(0, mload(add(sig, 0x60)))
        }
        if (uint256(s) > HALF_ORDER) return false;
        address recovered = ecrecover(digest, v, r, s);
        return recovered != address(0) && recovered == signer;
    }
}
