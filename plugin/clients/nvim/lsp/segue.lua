-- The language server `segue lsp`, as Neovim 0.11 finds it: `vim.lsp.enable("segue")`.
-- A setting of yours goes into `vim.lsp.config("segue", { ... })` and comes before these.
return require("segue").config()
