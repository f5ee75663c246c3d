// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Owned} from "./Owned.sol";
import {Token} from "./Token.sol";

/// Where the pro tier is bought, by the day, in a token.
contract TierRegistry is Owned {
    error InvalidTier();
    error InvalidDuration();

    event PurchasedTier(uint256 indexed fid, uint256 indexed tier, uint256 forDays, address indexed payer);

    uint256 public constant PRO = 1;

    Token public paymentToken;
    uint256 public tokenPricePerDay;

    function initialize(Token token, uint256 pricePerDay) external initializes {
        paymentToken = token;
        tokenPricePerDay = pricePerDay;
    }

    function price(uint256 tier, uint256 forDays) public view returns (uint256) {
        if (tier != PRO) revert InvalidTier();
        if (forDays == 0) revert InvalidDuration();
        return tokenPricePerDay * forDays;
    }

    function purchaseTier(uint256 fid, uint256 tier, uint256 forDays) external whenNotPaused {
        uint256 cost = price(tier, forDays);
        if (cost > 0) paymentToken.transferFrom(msg.sender, owner, cost);
        emit PurchasedTier(fid, tier, forDays, msg.sender);
    }
}
