-- Segue in Neovim: the server for workflow files, `:Segue`, its questions and its progress.
-- The server says what is asked and what is true; nothing about a run is decided here.

local M = {}

-- How the server is started; `segue install nvim` writes its own interpreter beside this file.
local function command()
  local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":h:h:h")
  local file = io.open(here .. "/segue.json")
  if file then
    local ok, said = pcall(vim.json.decode, file:read("*a"))
    file:close()
    if ok and type(said) == "table" and type(said.command) == "table" then
      return said.command
    end
  end
  return { "segue", "lsp", "--stdio" }
end

-- What the person is shown of live runs, by progress token.
local live = {}

local function root(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if not path:match("/%.segue/workflows/[^/]+%.py$") then
    return nil
  end
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(path)))
end

-- Neovim can draw lenses anew when it is told to, and from 0.11 on does not say so itself.
local function capabilities()
  local mine = { workspace = { codeLens = { refreshSupport = true } } }
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), mine)
end

-- Asks for the lenses of the workflow files that are shown.
local function lenses()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if root(buffer) then
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end
  end
end

function M.config()
  return {
    name = "segue",
    cmd = command(),
    filetypes = { "python" },
    -- Only workflow files: beside whatever Python server there is.
    root_dir = function(buffer, found)
      local dir = root(buffer)
      if dir then
        found(dir)
      end
    end,
    capabilities = capabilities(),
    init_options = { segue = { ask = true, commands = { "segue.rehearse" } } },
    handlers = {
      ["segue/ask"] = function(_, params, context)
        return require("segue.ask").ask(params, context)
      end,
      ["workspace/codeLens/refresh"] = function()
        lenses()
        return vim.NIL
      end,
      ["$/progress"] = function(err, params, context, config)
        M.progress(params)
        local standard = vim.lsp.handlers["$/progress"]
        return standard and standard(err, params, context, config)
      end,
    },
  }
end

-- Keeps what runs say of themselves: `require("segue").status()` is a line for a status line.
function M.progress(params)
  local value = params.value
  if value.kind == "end" then
    live[params.token] = nil
  else
    local before = live[params.token] or {}
    live[params.token] = {
      title = value.title or before.title or "",
      message = value.message or before.message or "",
    }
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "SegueProgress", modeline = false, data = params })
end

function M.status()
  local lines = {}
  for _, each in pairs(live) do
    table.insert(lines, each.title .. ": " .. each.message)
  end
  table.sort(lines)
  return table.concat(lines, " | ")
end

-- The client of the current buffer's folder, or the only one there is.
function M.client()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local here = get({ name = "segue", bufnr = vim.api.nvim_get_current_buf() })
  if #here == 0 then
    here = get({ name = "segue" })
  end
  return #here == 1 and here[1] or nil
end

local function request(client, method, params, done)
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, done)
  else
    client.request(method, params, done)
  end
end

-- Runs a command of the server; what it gives is shown, or handed to `done`.
function M.run(verb, arguments, done)
  local client = M.client()
  if not client then
    vim.notify("Segue: go to a file of .segue/workflows first", vim.log.levels.WARN)
    return
  end
  local params = { command = "segue.server." .. verb, arguments = { arguments } }
  request(client, "workspace/executeCommand", params, function(err, result)
    if err then
      vim.notify("Segue: " .. err.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end)
end

-- Shows a text in a window of its own.
function M.show(title, text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  vim.cmd("botright split")
  vim.api.nvim_win_set_buf(0, buffer)
  pcall(vim.api.nvim_buf_set_name, buffer, "segue://" .. title)
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = buffer, desc = "close" })
end

-- A rehearsal runs in a terminal, where the person plays the model.
function M.rehearse(arguments)
  local words = vim.deepcopy(command())
  while #words > 0 and words[#words] ~= "lsp" do
    table.remove(words)
  end
  table.remove(words)
  vim.list_extend(words, { "rehearse", arguments.workflow })
  local folder = arguments.folder and vim.uri_to_fname(arguments.folder) or nil
  vim.cmd("botright new")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.fn.jobstart(words, { term = true, cwd = folder })
  else
    vim.fn.termopen(words, { cwd = folder })
  end
  vim.cmd.startinsert()
end

-- Before 0.11 there is no `vim.lsp.enable`: start the server for each workflow file.
local function start_by_hand()
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "python",
    group = vim.api.nvim_create_augroup("segue", {}),
    callback = function(event)
      local dir = root(event.buf)
      if dir then
        local config = M.config()
        config.root_dir = dir
        vim.lsp.start(config, { bufnr = event.buf })
      end
    end,
  })
end

-- Lenses in workflow files; `vim.g.segue_quiet` leaves them to you. Neovim draws a lens at the end
-- of its line, where a live hint would say the same again: hints are turned on by whoever wants them.
local function decorate()
  local group = vim.api.nvim_create_augroup("segue.decorate", {})
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if not client or client.name ~= "segue" or vim.g.segue_quiet then
        return
      end
      lenses()
      vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, {
        group = group,
        buffer = event.buf,
        callback = lenses,
      })
    end,
  })
end

function M.setup()
  decorate()
  require("segue.command").create()
  vim.lsp.commands["segue.rehearse"] = function(given)
    M.rehearse(given.arguments[1])
  end
  vim.lsp.commands["segue.server.graph"] = function(given)
    M.run("graph", given.arguments[1], function(result)
      M.show("graph", result.text)
    end)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    vim.lsp.enable("segue")
  else
    start_by_hand()
  end
end

return M
