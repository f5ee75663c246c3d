// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Names of a development chain, with the reads of the ENS registry. Whoever claims a name first owns it.
contract NameRegistry {
    error NotOwner();
    error Taken();

    event NewResolver(bytes32 indexed node, address resolver);

    mapping(bytes32 node => address) public owner;
    mapping(bytes32 node => address) public resolver;

    /// Takes a name that nobody owns, or gives one away.
    function setOwner(bytes32 node, address newOwner) external {
        if (owner[node] != address(0) && owner[node] != msg.sender) revert Taken();
        owner[node] = newOwner;
    }

    function setResolver(bytes32 node, address newResolver) external {
        if (owner[node] != msg.sender) revert NotOwner();
        resolver[node] = newResolver;
        emit NewResolver(node, newResolver);
    }
}

/// The addresses of names, set by their owners.
contract NameResolver {
    error NotOwner();

    event AddrChanged(bytes32 indexed node, address a);

    NameRegistry public immutable registry;
    mapping(bytes32 node => address) public addr;

    constructor(NameRegistry registry_) {
        registry = registry_;
    }

    function setAddr(bytes32 node, address a) external {
        if (registry.owner(node) != msg.sender) revert NotOwner();
        addr[node] = a;
        emit AddrChanged(node, a);
    }
}

/// A resolver whose addresses are off the chain (ERC-3668): every read reverts with where to ask.
contract OffchainResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    function addr(bytes32) external view returns (address) {
        revert OffchainLookup(address(this), new string[](0), msg.data, this.addr.selector, "");
    }
}
