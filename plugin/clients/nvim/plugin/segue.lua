-- Turns Segue on: the server for workflow files, and `:Segue`.
if vim.g.loaded_segue or vim.g.segue_disabled then
  return
end
vim.g.loaded_segue = true
require("segue").setup()
