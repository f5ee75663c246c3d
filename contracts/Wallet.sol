// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "./SignedData.sol";

/// A contract wallet: the account that owns it signs for it (ERC-1271).
contract Wallet is IERC1271 {
    bytes4 private constant INVALID = 0xffffffff;

    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata sig) external view returns (bytes4) {
        if (sig.length != 65) return INVALID;
        address signer = ecrecover(digest, uint8(sig[64]), bytes32(sig[:32]), bytes32(sig[32:64]));
        return signer != address(0) && signer == owner ? IERC1271.isValidSignature.selector : INVALID;
    }
}

/// Deploys wallets at addresses that are known before (CREATE2), for signatures of wallets to come (ERC-6492).
contract WalletFactory {
    function create(address owner, bytes32 salt) external returns (Wallet) {
        return new Wallet{salt: salt}(owner);
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Wallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, code)))));
    }
}
