// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Owned} from "./Owned.sol";

/// One ERC-721 token for each channel. Its id is the hash of the channel's key. The minter is the controller.
contract ChannelToken is Owned {
    error NotOwner();
    error InvalidReceiver();

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    address public minter;
    mapping(uint256 id => address) public ownerOf;

    function initialize(address controller) external initializes {
        minter = controller;
    }

    function transferFrom(address from, address to, uint256 id) external {
        if (msg.sender != from || ownerOf[id] != from) revert NotOwner();
        if (to == address(0)) revert InvalidReceiver();
        _move(from, to, id);
    }

    /// Gives a token to a new registrant. A lapsed registration is burned first, as two transfers.
    function mint(address to, uint256 id) external {
        if (msg.sender != minter) revert Unauthorized();
        if (to == address(0)) revert InvalidReceiver();
        address lapsed = ownerOf[id];
        if (lapsed != address(0)) _move(lapsed, address(0), id);
        _move(address(0), to, id);
    }

    function _move(address from, address to, uint256 id) internal {
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

/// Registers channels for a time, free of charge.
contract ChannelController {
    error Taken();
    error NotRegistered();

    event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires);
    event NameRenewed(string name, bytes32 indexed label, uint256 expires);

    bytes32 public immutable rootNode;
    ChannelToken public immutable token;
    mapping(bytes32 label => uint256) public expiryOf;

    constructor(bytes32 root, ChannelToken channels) {
        rootNode = root;
        token = channels;
    }

    function register(string calldata name, address owner, uint256 duration) external {
        bytes32 label = keccak256(bytes(name));
        if (expiryOf[label] > block.timestamp) revert Taken();
        uint256 expires = block.timestamp + duration;
        expiryOf[label] = expires;
        token.mint(owner, uint256(label));
        emit NameRegistered(name, label, owner, expires);
    }

    function renew(string calldata name, uint256 duration) external {
        bytes32 label = keccak256(bytes(name));
        if (expiryOf[label] == 0) revert NotRegistered();
        expiryOf[label] += duration;
        emit NameRenewed(name, label, expiryOf[label]);
    }
}
