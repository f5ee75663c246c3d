// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Owned} from "./Owned.sol";

/// Where storage is rented. Its price is fixed in dollars; what a dollar costs is set by the owner.
contract StorageRegistry is Owned {
    error InvalidAmount();
    error InvalidBatchInput();
    error InvalidPayment();
    error ExceedsCapacity();
    error NotOperator();
    error CallFailed();

    event Rent(address indexed payer, uint256 indexed fid, uint256 units);
    event SetPrice(uint256 oldPrice, uint256 newPrice);
    event SetFixedEthUsdPrice(uint256 oldPrice, uint256 newPrice);
    event SetMaxUnits(uint256 oldMax, uint256 newMax);

    /// Dollars with 8 decimals, as price feeds give them.
    uint256 public usdUnitPrice;
    uint256 public fixedEthUsdPrice;
    uint256 public maxUnits;
    uint256 public rentedUnits;

    function initialize(uint256 usdPrice, uint256 ethUsd, uint256 max) external initializes {
        usdUnitPrice = usdPrice;
        fixedEthUsdPrice = ethUsd;
        maxUnits = max;
    }

    /// In wei, rounded up.
    function price(uint256 units) public view returns (uint256) {
        return (units * usdUnitPrice * 1e18 + fixedEthUsdPrice - 1) / fixedEthUsdPrice;
    }

    function unitPrice() external view returns (uint256) {
        return price(1);
    }

    function ethUsdPrice() external view returns (uint256) {
        return fixedEthUsdPrice;
    }

    function rent(uint256 fid, uint256 units) external payable whenNotPaused returns (uint256 overpayment) {
        if (units == 0) revert InvalidAmount();
        uint256 cost = price(units);
        if (msg.value < cost) revert InvalidPayment();
        _give(fid, units);
        overpayment = msg.value - cost;
        _refund(overpayment);
    }

    function batchRent(uint256[] calldata fids, uint256[] calldata units) external payable whenNotPaused {
        if (fids.length == 0 || fids.length != units.length) revert InvalidBatchInput();
        uint256 total;
        for (uint256 i = 0; i < fids.length; i++) {
            if (units[i] == 0) continue;
            total += units[i];
            _give(fids[i], units[i]);
        }
        uint256 cost = price(total);
        if (msg.value < cost) revert InvalidPayment();
        _refund(msg.value - cost);
    }

    /// Storage for nothing, from the operator.
    function credit(uint256 fid, uint256 units) external whenNotPaused {
        if (msg.sender != owner) revert NotOperator();
        if (units == 0) revert InvalidAmount();
        _give(fid, units);
    }

    function setPrice(uint256 usdPrice) external onlyOwner {
        emit SetPrice(usdUnitPrice, usdPrice);
        usdUnitPrice = usdPrice;
    }

    function setFixedEthUsdPrice(uint256 ethUsd) external onlyOwner {
        emit SetFixedEthUsdPrice(fixedEthUsdPrice, ethUsd);
        fixedEthUsdPrice = ethUsd;
    }

    function setMaxUnits(uint256 max) external onlyOwner {
        emit SetMaxUnits(maxUnits, max);
        maxUnits = max;
    }

    function _give(uint256 fid, uint256 units) internal {
        if (rentedUnits + units > maxUnits) revert ExceedsCapacity();
        rentedUnits += units;
        emit Rent(msg.sender, fid, units);
    }

    function _refund(uint256 amount) internal {
        if (amount == 0) return;
        (bool ok,) = msg.sender.call{value: amount}("");
        if (!ok) revert CallFailed();
    }
}
