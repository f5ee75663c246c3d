// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// Two tokens that are exchanged so that the product of what is here does not fall. No fee, no shares:
/// whoever sends tokens here has given them to the pool.
abstract contract Pool {
    error K();

    Token public immutable token0;
    Token public immutable token1;

    constructor(Token a, Token b) {
        (token0, token1) = address(a) < address(b) ? (a, b) : (b, a);
    }

    /// Takes all of `amountIn` from the caller and sends what it is worth.
    function _exchange(bool zeroForOne, uint256 amountIn, address to) internal returns (uint256 amountOut) {
        (Token given, Token taken) = zeroForOne ? (token0, token1) : (token1, token0);
        uint256 reserveIn = given.balanceOf(address(this));
        uint256 reserveOut = taken.balanceOf(address(this));
        amountOut = (reserveOut * amountIn) / (reserveIn + amountIn);
        given.transferFrom(msg.sender, address(this), amountIn);
        taken.transfer(to, amountOut);
        if ((reserveIn + amountIn) * (reserveOut - amountOut) < reserveIn * reserveOut) revert K();
    }
}

/// Tells of swaps like a pair of Uniswap v2.
contract PairV2 is Pool {
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );

    constructor(Token a, Token b) Pool(a, b) {}

    function swapExactIn(bool zeroForOne, uint256 amountIn, address to) external returns (uint256 amountOut) {
        amountOut = _exchange(zeroForOne, amountIn, to);
        if (zeroForOne) emit Swap(msg.sender, amountIn, 0, 0, amountOut, to);
        else emit Swap(msg.sender, 0, amountIn, amountOut, 0, to);
    }
}

/// Tells of swaps like a pool of Uniswap v3; its price and liquidity stand still, since nothing here reads them.
contract PoolV3 is Pool {
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick
    );

    uint24 public constant fee = 0;

    constructor(Token a, Token b) Pool(a, b) {}

    function swapExactIn(bool zeroForOne, uint256 amountIn, address to) external returns (uint256 amountOut) {
        amountOut = _exchange(zeroForOne, amountIn, to);
        (int256 given, int256 taken) = (int256(amountIn), -int256(amountOut));
        emit Swap(
            msg.sender, to, zeroForOne ? given : taken, zeroForOne ? taken : given, uint160(1 << 96), 1e18, 0
        );
    }
}
