// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IdRegistry} from "./IdRegistry.sol";
import {Owned} from "./Owned.sol";
import {SignedData} from "./SignedData.sol";
import {StorageRegistry} from "./StorageRegistry.sol";

/// Where fids are bought, each with a unit of storage.
contract IdGateway is Owned, SignedData {
    error CallFailed();
    /// What the registries refuse, which comes through.
    error HasId();
    error InvalidPayment();

    bytes32 public constant REGISTER_TYPEHASH =
        keccak256("Register(address to,address recovery,uint256 nonce,uint256 deadline)");

    IdRegistry public idRegistry;
    StorageRegistry public storageRegistry;

    function _domainName() internal pure override returns (string memory) {
        return "Farcaster IdGateway";
    }

    function initialize(IdRegistry ids, StorageRegistry storages) external initializes {
        idRegistry = ids;
        storageRegistry = storages;
    }

    /// What the storage registry gives back; nobody else has a reason to pay in.
    receive() external payable {
        if (msg.sender != address(storageRegistry)) revert Unauthorized();
    }

    /// In wei.
    function price() external view returns (uint256) {
        return storageRegistry.price(1);
    }

    function price(uint256 extraStorage) external view returns (uint256) {
        return storageRegistry.price(1 + extraStorage);
    }

    function register(address recovery) external payable returns (uint256 fid, uint256 overpayment) {
        return _register(msg.sender, recovery, 0);
    }

    function register(address recovery, uint256 extraStorage)
        external
        payable
        returns (uint256 fid, uint256 overpayment)
    {
        return _register(msg.sender, recovery, extraStorage);
    }

    function registerFor(address to, address recovery, uint256 deadline, bytes calldata sig)
        external
        payable
        returns (uint256 fid, uint256 overpayment)
    {
        _verifyRegister(to, recovery, deadline, sig);
        return _register(to, recovery, 0);
    }

    function registerFor(
        address to,
        address recovery,
        uint256 deadline,
        bytes calldata sig,
        uint256 extraStorage
    ) external payable returns (uint256 fid, uint256 overpayment) {
        _verifyRegister(to, recovery, deadline, sig);
        return _register(to, recovery, extraStorage);
    }

    function _verifyRegister(address to, address recovery, uint256 deadline, bytes calldata sig) internal {
        bytes32 structHash = keccak256(abi.encode(REGISTER_TYPEHASH, to, recovery, _useNonce(to), deadline));
        _verify(to, structHash, deadline, sig);
    }

    function _register(address to, address recovery, uint256 extraStorage)
        internal
        whenNotPaused
        returns (uint256 fid, uint256 overpayment)
    {
        fid = idRegistry.register(to, recovery);
        overpayment = storageRegistry.rent{value: msg.value}(fid, 1 + extraStorage);
        if (overpayment > 0) {
            (bool ok,) = msg.sender.call{value: overpayment}("");
            if (!ok) revert CallFailed();
        }
    }
}
