/** Codes and exceptions: OpenAI and vLLM, llama.cpp, LiteLLM. */
const codes = /\b(context_length_exceeded|exceed_context_size_error|ContextWindowExceededError)\b/;

/** Sentences about the length of a prompt, not about a quota or a rate. */
const sentences = [
  // OpenAI, vLLM, Mistral, SGLang: "This model's maximum context length is 8192 tokens."
  /\bmaximum (context|model) length\b/i,
  // llama.cpp, Ollama, OpenAI's responses: "exceeds the available context size", "exceeds the context window of this model"
  /\b(exceeds?|longer than) (the |this )?(available |maximum |model's )*(maximum )?context (size|length|window)\b/i,
  // Text Generation Inference and Text Embeddings Inference: "`inputs` must have less than 1024 tokens"
  /\binputs`? (tokens \+ `?max_new_tokens`? must be <=|must have less than \d+ tokens)/i,
  // llama.cpp: "input (9000 tokens) is too large to process", Anthropic: "prompt is too long: 210000 tokens"
  /\binput( \(\d+ tokens\))? is too large to process\b/i,
  /\bprompt is too long: \d+ tokens\b/i,
  // Gemini: "The input token count (1200000) exceeds the maximum number of tokens allowed"
  /\btoken count \(?\d*\)? ?exceeds the maximum\b/i,
];

const lookedAt = 20_000;

/** Whether a server refused a prompt that has more tokens than its model accepts. */
export function isTooLong({ text, kind = '' }: { text: string; kind?: string }): boolean {
  const start = text.slice(0, lookedAt);
  return codes.test(kind) || codes.test(start) || sentences.some((pattern) => pattern.test(start));
}
