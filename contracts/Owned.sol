// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Belongs to whoever initialises it first, and can be paused.
abstract contract Owned {
    error Unauthorized();
    error AlreadyInitialized();

    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event Paused(address account);
    event Unpaused(address account);

    address public owner;
    bool public paused;

    modifier onlyOwner() {
        if (msg.sender != owner) revert Unauthorized();
        _;
    }

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    /// Takes the contract into possession. Works once.
    modifier initializes() {
        if (owner != address(0)) revert AlreadyInitialized();
        owner = msg.sender;
        emit OwnershipTransferred(address(0), msg.sender);
        _;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function pause() external onlyOwner {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpaused(msg.sender);
    }
}
