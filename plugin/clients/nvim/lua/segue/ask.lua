-- Questions of the server to the person, through `vim.ui`: choices, words, confirmations.
-- The answer is theirs: a dialog that is closed answers nothing.

local M = {}

-- Gives a value out of dialogs: `ask` is a coroutine, `resume` takes what was said.
local function waiting(open)
  local thread = coroutine.running()
  vim.schedule(function()
    open(function(said)
      vim.schedule(function()
        coroutine.resume(thread, said)
      end)
    end)
  end)
  return coroutine.yield()
end

local function choose(params)
  local prompt = params.title
  if params.text and params.text ~= vim.NIL and params.text ~= "" then
    prompt = prompt .. "\n" .. params.text
  end
  return waiting(function(done)
    vim.ui.select(params.choices, { prompt = prompt, kind = "segue" }, done)
  end)
end

local function words(title)
  return waiting(function(done)
    vim.ui.input({ prompt = title .. " " }, done)
  end)
end

local function answer(params)
  if params.kind == "text" then
    local said = words(params.title)
    return said and { text = said } or vim.NIL
  end
  local choice = choose(params)
  if not choice then
    return vim.NIL
  end
  if params.kind == "choice" and vim.tbl_contains(params.wantsText or {}, choice) then
    local said = words(choice .. ":")
    return said and { choice = choice, text = said } or vim.NIL
  end
  return { choice = choice }
end

-- Answers later: a handler that returns nothing would answer at once, so the reply is sent by
-- the coroutine that Neovim runs request handlers in.
function M.ask(params)
  return answer(params)
end

return M
