// Nothing: see package.json.
module.exports = {};
