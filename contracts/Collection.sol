// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC721Receiver {
    function onERC721Received(address operator, address from, uint256 id, bytes calldata data)
        external
        returns (bytes4);
}

/// An ERC-721 collection with a public mint, royalties (ERC-2981) and metadata at a base URI. Ids count from 1.
contract Collection {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event Approval(address indexed owner, address indexed spender, uint256 indexed id);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    error NotOwner();
    error NotAuthorized();
    error NoSuchToken(uint256 id);
    error InvalidReceiver(address to);
    error InvalidQuantity();
    error WrongPrice(uint256 needed);
    error SoldOut();
    error WalletLimit();
    error NotOpen();
    error TransferFailed();

    struct Config {
        string name;
        string symbol;
        string baseUri;
        address owner;
        address royaltyRecipient;
        uint96 royaltyBps;
        uint256 maxSupply;
        uint256 price;
        uint256 maxPerTx;
        uint256 maxPerWallet;
        uint256 startTimestamp;
        uint256 endTimestamp;
    }

    string public name;
    string public symbol;
    string public baseUri;
    address public owner;
    address public royaltyRecipient;
    uint96 public royaltyBps;
    /// 0: no limit, as for the limits below.
    uint256 public maxSupply;
    /// Wei of one token.
    uint256 public price;
    uint256 public maxPerTx;
    uint256 public maxPerWallet;
    uint256 public startTimestamp;
    uint256 public endTimestamp;
    uint256 public totalSupply;

    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => uint256) public minted;
    mapping(uint256 id => address) private _owners;
    mapping(uint256 id => address) public getApproved;
    mapping(address owner => mapping(address operator => bool)) public isApprovedForAll;

    constructor(Config memory config) {
        name = config.name;
        symbol = config.symbol;
        baseUri = config.baseUri;
        owner = config.owner;
        royaltyRecipient = config.royaltyRecipient;
        royaltyBps = config.royaltyBps;
        maxSupply = config.maxSupply;
        price = config.price;
        maxPerTx = config.maxPerTx;
        maxPerWallet = config.maxPerWallet;
        startTimestamp = config.startTimestamp;
        endTimestamp = config.endTimestamp;
        emit OwnershipTransferred(address(0), config.owner);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function mint(address to, uint256 quantity) external payable {
        if (quantity == 0 || (maxPerTx != 0 && quantity > maxPerTx)) revert InvalidQuantity();
        if (block.timestamp < startTimestamp || (endTimestamp != 0 && block.timestamp > endTimestamp)) revert NotOpen();
        if (maxSupply != 0 && totalSupply + quantity > maxSupply) revert SoldOut();
        if (maxPerWallet != 0 && minted[to] + quantity > maxPerWallet) revert WalletLimit();
        if (to == address(0)) revert InvalidReceiver(to);
        if (msg.value != price * quantity) revert WrongPrice(price * quantity);
        minted[to] += quantity;
        balanceOf[to] += quantity;
        uint256 first = totalSupply + 1;
        totalSupply += quantity;
        for (uint256 id = first; id < first + quantity; id++) {
            _owners[id] = to;
            emit Transfer(address(0), to, id);
        }
    }

    function ownerOf(uint256 id) public view returns (address holder) {
        holder = _owners[id];
        if (holder == address(0)) revert NoSuchToken(id);
    }

    function approve(address spender, uint256 id) external {
        address holder = ownerOf(id);
        if (msg.sender != holder && !isApprovedForAll[holder][msg.sender]) revert NotAuthorized();
        getApproved[id] = spender;
        emit Approval(holder, spender, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 id) public {
        if (ownerOf(id) != from) revert NotAuthorized();
        bool isAllowed = msg.sender == from || isApprovedForAll[from][msg.sender] || getApproved[id] == msg.sender;
        if (!isAllowed) revert NotAuthorized();
        if (to == address(0)) revert InvalidReceiver(to);
        delete getApproved[id];
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
        _owners[id] = to;
        emit Transfer(from, to, id);
    }

    function safeTransferFrom(address from, address to, uint256 id) external {
        safeTransferFrom(from, to, id, "");
    }

    function safeTransferFrom(address from, address to, uint256 id, bytes memory data) public {
        transferFrom(from, to, id);
        if (to.code.length == 0) return;
        bytes4 answer = IERC721Receiver(to).onERC721Received(msg.sender, from, id, data);
        if (answer != IERC721Receiver.onERC721Received.selector) revert InvalidReceiver(to);
    }

    function contractURI() external view returns (string memory) {
        return string.concat(baseUri, _hex(address(this)));
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        return string.concat(baseUri, _hex(address(this)), "/", _decimal(id));
    }

    function royaltyInfo(uint256, uint256 salePrice) external view returns (address, uint256) {
        return (royaltyRecipient, (salePrice * royaltyBps) / 10_000);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // ERC-165, ERC-721, ERC-721 metadata, ERC-2981.
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x2a55205a;
    }

    function setBaseUri(string calldata uri) external onlyOwner {
        baseUri = uri;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function withdraw(address payable to) external onlyOwner {
        (bool success,) = to.call{value: address(this).balance}("");
        if (!success) revert TransferFailed();
    }

    function _hex(address account) private pure returns (string memory) {
        bytes16 digits = "0123456789abcdef";
        bytes memory text = new bytes(42);
        (text[0], text[1]) = ("0", "x");
        uint160 rest = uint160(account);
        for (uint256 i = 41; i > 1; i--) {
            text[i] = digits[rest & 15];
            rest >>= 4;
        }
        return string(text);
    }

    function _decimal(uint256 value) private pure returns (string memory) {
        uint256 length = 1;
        for (uint256 rest = value; rest >= 10; rest /= 10) length++;
        bytes memory text = new bytes(length);
        for (uint256 i = length; i > 0; i--) {
            text[i - 1] = bytes1(uint8(48 + (value % 10)));
            value /= 10;
        }
        return string(text);
    }
}
