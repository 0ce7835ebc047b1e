export function startConsole(): (line: string) => void {
  const startedAt = performance.now();
  // The terminal may be gone before us; that must not end the launcher while it stops services.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return (line) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
    process.stdout.write(`${seconds} s  ${line}\n`);
  };
}

export type Welcome = {
  baseUrl: string;
  adminUrl: string;
  adminToken: string;
  /** Signs in once. */
  consoleUrl: string;
  apiKey: string;
  home: string;
  isLoopbackOpen: boolean;
};

export function welcome({
  baseUrl,
  adminUrl,
  adminToken,
  consoleUrl,
  apiKey,
  home,
  isLoopbackOpen,
}: Welcome): string {
  const hint = `
Receivers of yours on this machine get webhooks too, at http://127.0.0.1 and http://localhost.
`;
  return `
Holdfast is ready.

  Console  ${consoleUrl}
           (signs you in once, within 10 minutes; npm run holdfast -- console prints another)

  API      ${baseUrl}   (documentation: ${baseUrl}/docs)
  API key  ${apiKey}
  OpenAI   ${baseUrl}/v1/openai   (for its clients: the base URL)
  Replicate   ${baseUrl}/v1/replicate   (for its clients: baseUrl, REPLICATE_BASE_URL)
  fal      ${baseUrl}/v1/fal/proxy   (for its client: proxyUrl)
  Admin    ${adminUrl}/admin/v1
  token    ${adminToken}
  Files    ${home}
  Logs     ${home}/logs

Try it:
  export HOLDFAST_URL=${baseUrl} HOLDFAST_API_KEY=${apiKey}
  auth="Authorization: Bearer $HOLDFAST_API_KEY"
  curl -s $HOLDFAST_URL/v1/models -H "$auth"
  curl -s $HOLDFAST_URL/v1/executions -H "$auth" -H "Prefer: wait=30" -H "Content-Type: application/json" \\
    -d '{"model":"sandbox-text","input":{"prompt":"Hello"}}'
  curl -s $HOLDFAST_URL/v1/executions -H "$auth" -H "Content-Type: application/json" \\
    -d '{"model":"sandbox-text","input":{"prompt":"Hello","tokens":99},"stream":true}' |
    grep -o '"stream":"[^"]*' | cut -d '"' -f 4 | xargs curl -sN    # shows the output while it is made
  curl -s $HOLDFAST_URL/v1/executions -H "$auth"
  curl -s $HOLDFAST_URL/v1/balance -H "$auth"
  curl -s $HOLDFAST_URL/v1/openai/chat/completions -H "$auth" -H "Content-Type: application/json" \\
    -d '{"model":"sandbox-text","messages":[{"role":"user","content":"Hello"}]}'

Webhooks, each as it comes, in another terminal:
  npm run webhooks:listen
${isLoopbackOpen ? hint : ''}
Ctrl-C ends everything.
`;
}
