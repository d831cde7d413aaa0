-- `:Segue VERB ...`: the palette's verbs, with completion. What is left out the server asks for.

local M = {}

local function workflow(words)
  return { workflow = words[1] }
end

local function run(words)
  return { run = words[1] }
end

-- Everything after the first word, as it was typed.
local function with_text(words)
  local text = table.concat(vim.list_slice(words, 2), " ")
  return { workflow = words[1], text = text ~= "" and text or nil }
end

local function answer(words)
  local text = table.concat(vim.list_slice(words, 3), " ")
  return { request = words[1], choice = words[2], text = text ~= "" and text or nil }
end

local function rebind(words)
  return { run = words[1], session = words[2] }
end

local function none()
  return {}
end

-- `shows`: the result is a text for a window of its own; `lists`: it goes into the quickfix
-- list; what the others did the server says itself.
M.verbs = {
  run = { takes = with_text, completes = "workflow" },
  rehearse = { takes = workflow, completes = "workflow", here = "rehearse" },
  graph = { takes = workflow, completes = "workflow", shows = true },
  explain = { takes = workflow, completes = "workflow", shows = true },
  check = { takes = none, lists = true },
  status = { takes = run, shows = true },
  pause = { takes = run },
  resume = { takes = run },
  cancel = { takes = run },
  answer = { takes = answer },
  rebind = { takes = rebind },
  trust = { takes = none },
  openState = { takes = none },
}

local function folder()
  local client = require("segue").client()
  local root = client and client.root_dir
  return root and vim.uri_from_fname(root) or nil
end

-- Names of the workflows beside the ones that are open.
local function workflows()
  local client = require("segue").client()
  local root = client and client.root_dir or vim.fn.getcwd()
  local names = {}
  for _, path in ipairs(vim.fn.globpath(root .. "/.segue/workflows", "*.py", true, true)) do
    local stem = vim.fn.fnamemodify(path, ":t:r")
    if stem:sub(1, 1) ~= "_" then
      table.insert(names, (stem:gsub("_", "-")))
    end
  end
  return names
end

-- The workflow of the file that is shown, for a verb that was given none.
local function here()
  local path = vim.api.nvim_buf_get_name(0)
  local stem = path:match("/%.segue/workflows/([^/]+)%.py$")
  return stem and (stem:gsub("_", "-")) or nil
end

local function starting_with(words, lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

function M.complete(lead, line)
  local words = vim.split(vim.trim(line:sub(1, #line - #lead)), "%s+")
  if #words <= 1 then
    local names = vim.tbl_keys(M.verbs)
    table.sort(names)
    return starting_with(names, lead)
  end
  local verb = M.verbs[words[2]]
  if verb and verb.completes == "workflow" and #words == 2 then
    return starting_with(workflows(), lead)
  end
  return {}
end

-- Findings go where those of any other tool go: into the quickfix list.
local function list(findings)
  local items = {}
  for _, each in ipairs(findings) do
    table.insert(items, {
      filename = vim.uri_to_fname(each.uri),
      lnum = each.line,
      col = each.column,
      type = each.severity:sub(1, 1):upper(),
      text = each.code .. " " .. each.message,
    })
  end
  vim.fn.setqflist({}, " ", { title = "Segue", items = items })
  if #items > 0 then
    vim.cmd("botright copen")
  end
end

function M.execute(given)
  local words = given.fargs
  local name = table.remove(words, 1) or "status"
  local verb = M.verbs[name]
  if not verb then
    vim.notify("Segue has no verb '" .. name .. "'", vim.log.levels.ERROR)
    return
  end
  local arguments = verb.takes(words)
  arguments.folder = folder()
  if verb.completes == "workflow" and not arguments.workflow then
    arguments.workflow = here()
  end
  local segue = require("segue")
  if verb.here then
    segue[verb.here](arguments)
    return
  end
  arguments.quiet = verb.shows or nil
  segue.run(name, arguments, function(result)
    if verb.shows and not result.dismissed then
      segue.show(name, result.text)
    elseif verb.lists then
      list(result.data.findings)
    end
  end)
end

function M.create()
  vim.api.nvim_create_user_command("Segue", M.execute, {
    nargs = "*",
    complete = M.complete,
    desc = "Segue: run and steer workflows",
  })
end

return M
