// Makes the calls of ../behaviour.yaml: one JSON line in, one JSON line out. Run where @holdfast/sdk is installed.
import { createInterface } from 'node:readline';
import { Holdfast } from '@holdfast/sdk';

function optionsOf(
  { timeout_ms: timeout, abort_after_ms: abortAfterMs, cancel_on_abort: cancelOnAbort },
  more,
) {
  return {
    ...more,
    ...(timeout !== undefined && { timeout }),
    ...(abortAfterMs !== undefined && { signal: AbortSignal.timeout(abortAfterMs) }),
    ...(cancelOnAbort !== undefined && { cancelOnAbort }),
  };
}

function clientOf({
  base_url: baseUrl,
  api_key: apiKey,
  request_timeout_ms: timeout,
  max_retries: maxRetries,
}) {
  return new Holdfast({ baseUrl, apiKey, timeout, ...(maxRetries !== undefined && { maxRetries }) });
}

async function call({ call: name, client: settings, model, input, files = {}, metadata, options = {} }) {
  const client = clientOf(settings);
  const events = [];
  const uploads = Object.entries(files).map(([field, text]) => [field, Buffer.from(text, 'base64')]);
  const run = (more = {}, sent = { ...input, ...Object.fromEntries(uploads) }) => {
    const onProgress = options.progress && (({ type }) => events.push(type));
    const all = optionsOf(options, { metadata, ...(onProgress && { onProgress }), ...more });
    return client.run(model, sent, all);
  };
  const calls = {
    run,
    async stream() {
      const stream = client.stream(model, input, optionsOf(options, { metadata }));
      let text = '';
      for await (const delta of stream) text += delta;
      const { output, execution } = await stream.final();
      if (text !== output.text) throw new Error(`the pieces are ${text}`);
      return { execution };
    },
    async run_then_wait() {
      const error = await run().then(
        () => undefined,
        (one) => one,
      );
      if (error?.code !== 'WAIT_TIMED_OUT') throw error ?? new Error('the wait did not time out');
      return { execution: await client.executions.wait(error.execution.id) };
    },
    async run_twice() {
      const idempotencyKey = `twice-${metadata.case}`;
      const first = await run({ idempotencyKey });
      const second = await run({ idempotencyKey });
      if (first.execution.id !== second.execution.id) throw new Error('there are two executions');
      return second;
    },
    run_again: () => run().catch(({ idempotencyKey, input: sent }) => run({ idempotencyKey }, sent)),
  };
  try {
    const { execution } = await calls[name]();
    return {
      outcome: execution.status === 'COMPLETED' ? 'completed' : execution.status,
      execution_id: execution.id,
      events,
    };
  } catch (error) {
    const { code = String(error), execution } = error;
    return { outcome: code, execution_id: execution?.id ?? null, events };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...rest } = JSON.parse(line);
  void call(rest).then((result) => process.stdout.write(`${JSON.stringify({ id, ...result })}\n`));
}
