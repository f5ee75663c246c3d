// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Owned} from "./Owned.sol";
import {SignedData} from "./SignedData.sol";

/// Which address holds which fid. An address holds at most one.
contract IdRegistry is Owned, SignedData {
    error HasId();
    error HasNoId();

    event Register(address indexed to, uint256 indexed id, address recovery);
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event ChangeRecoveryAddress(uint256 indexed id, address indexed recovery);
    event Recover(address indexed from, address indexed to, uint256 indexed id);

    bytes32 public constant TRANSFER_TYPEHASH =
        keccak256("Transfer(uint256 fid,address to,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_AND_CHANGE_RECOVERY_TYPEHASH = keccak256(
        "TransferAndChangeRecovery(uint256 fid,address to,address recovery,uint256 nonce,uint256 deadline)"
    );
    bytes32 public constant CHANGE_RECOVERY_ADDRESS_TYPEHASH =
        keccak256("ChangeRecoveryAddress(uint256 fid,address from,address to,uint256 nonce,uint256 deadline)");

    address public idGateway;
    uint256 public idCounter;
    mapping(address owner => uint256 fid) public idOf;
    mapping(uint256 fid => address) public custodyOf;
    mapping(uint256 fid => address) public recoveryOf;

    function _domainName() internal pure override returns (string memory) {
        return "Farcaster IdRegistry";
    }

    function initialize(address gateway) external initializes {
        idGateway = gateway;
    }

    function register(address to, address recovery) external whenNotPaused returns (uint256 fid) {
        if (msg.sender != idGateway) revert Unauthorized();
        if (idOf[to] != 0) revert HasId();
        fid = ++idCounter;
        idOf[to] = fid;
        custodyOf[fid] = to;
        recoveryOf[fid] = recovery;
        emit Register(to, fid, recovery);
    }

    function transfer(address to, uint256 deadline, bytes calldata sig) external {
        uint256 fid = _idToMove(msg.sender, to);
        _verifyTransfer(fid, to, deadline, to, sig);
        _move(fid, msg.sender, to);
    }

    function transferFor(
        address from,
        address to,
        uint256 fromDeadline,
        bytes calldata fromSig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = _idToMove(from, to);
        _verifyTransfer(fid, to, fromDeadline, from, fromSig);
        _verifyTransfer(fid, to, toDeadline, to, toSig);
        _move(fid, from, to);
    }

    function transferAndChangeRecovery(address to, address recovery, uint256 deadline, bytes calldata sig)
        external
    {
        uint256 fid = _idToMove(msg.sender, to);
        _verifyTransferAndRecovery(fid, to, recovery, deadline, to, sig);
        _move(fid, msg.sender, to);
        _changeRecovery(fid, recovery);
    }

    function transferAndChangeRecoveryFor(
        address from,
        address to,
        address recovery,
        uint256 fromDeadline,
        bytes calldata fromSig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = _idToMove(from, to);
        _verifyTransferAndRecovery(fid, to, recovery, fromDeadline, from, fromSig);
        _verifyTransferAndRecovery(fid, to, recovery, toDeadline, to, toSig);
        _move(fid, from, to);
        _changeRecovery(fid, recovery);
    }

    function changeRecoveryAddress(address recovery) external whenNotPaused {
        _changeRecovery(_idHeldBy(msg.sender), recovery);
    }

    function changeRecoveryAddressFor(address holder, address recovery, uint256 deadline, bytes calldata sig)
        external
        whenNotPaused
    {
        uint256 fid = _idHeldBy(holder);
        bytes32 structHash = keccak256(
            abi.encode(
                CHANGE_RECOVERY_ADDRESS_TYPEHASH, fid, recoveryOf[fid], recovery, _useNonce(holder), deadline
            )
        );
        _verify(holder, structHash, deadline, sig);
        _changeRecovery(fid, recovery);
    }

    function recover(address from, address to, uint256 deadline, bytes calldata sig) external {
        uint256 fid = _idToMove(from, to);
        if (recoveryOf[fid] != msg.sender) revert Unauthorized();
        _verifyTransfer(fid, to, deadline, to, sig);
        emit Recover(from, to, fid);
        _move(fid, from, to);
    }

    function recoverFor(
        address from,
        address to,
        uint256 recoveryDeadline,
        bytes calldata recoverySig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = _idToMove(from, to);
        _verifyTransfer(fid, to, recoveryDeadline, recoveryOf[fid], recoverySig);
        _verifyTransfer(fid, to, toDeadline, to, toSig);
        emit Recover(from, to, fid);
        _move(fid, from, to);
    }

    function verifyFidSignature(address custodyAddress, uint256 fid, bytes32 digest, bytes calldata sig)
        external
        view
        returns (bool)
    {
        return idOf[custodyAddress] == fid && _isSignedBy(custodyAddress, digest, sig);
    }

    function _idHeldBy(address holder) internal view returns (uint256 fid) {
        fid = idOf[holder];
        if (fid == 0) revert HasNoId();
    }

    function _idToMove(address from, address to) internal view whenNotPaused returns (uint256 fid) {
        fid = _idHeldBy(from);
        if (idOf[to] != 0) revert HasId();
    }

    function _verifyTransfer(uint256 fid, address to, uint256 deadline, address signer, bytes calldata sig) internal {
        _verify(signer, keccak256(abi.encode(TRANSFER_TYPEHASH, fid, to, _useNonce(signer), deadline)), deadline, sig);
    }

    function _verifyTransferAndRecovery(
        uint256 fid,
        address to,
        address recovery,
        uint256 deadline,
        address signer,
        bytes calldata sig
    ) internal {
        bytes32 structHash = keccak256(
            abi.encode(TRANSFER_AND_CHANGE_RECOVERY_TYPEHASH, fid, to, recovery, _useNonce(signer), deadline)
        );
        _verify(signer, structHash, deadline, sig);
    }

    function _move(uint256 fid, address from, address to) internal {
        idOf[from] = 0;
        idOf[to] = fid;
        custodyOf[fid] = to;
        emit Transfer(from, to, fid);
    }

    function _changeRecovery(uint256 fid, address recovery) internal {
        recoveryOf[fid] = recovery;
        emit ChangeRecoveryAddress(fid, recovery);
    }
}
