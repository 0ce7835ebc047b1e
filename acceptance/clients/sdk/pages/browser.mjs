// A page of another origin than the API. It sends what it saw to its own server.

import { useExecution } from '@holdfast/react';
import { Holdfast } from '@holdfast/sdk';
import { createElement, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';

const { baseUrl, id, token, key } = JSON.parse(decodeURIComponent(location.hash.slice(1)));

const attempt = (make) => {
  try {
    make();
    return 'allowed';
  } catch (error) {
    return error.message;
  }
};

async function look({ status, output, files }) {
  const image = await createImageBitmap(await files[0].blob());
  const loaded = new Image();
  loaded.src = await files[0].url();
  await loaded.decode();
  const other = new Holdfast({ baseUrl, apiKey: token, maxRetries: 0 });
  const types = [];
  for await (const { type } of other.executions.events(id)) types.push(type);
  const report = {
    origin: location.origin,
    secretKey: attempt(() => new Holdfast({ baseUrl, apiKey: key })),
    allowedKey: attempt(() => new Holdfast({ baseUrl, apiKey: key, dangerouslyAllowBrowser: true })),
    status,
    format: output.images[0].format,
    types: [...new Set(types)],
    sizes: [image.width, loaded.naturalWidth],
    balance: await other.balance.get().catch((error) => error.name),
    elsewhere: await other.executions
      .get('exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d')
      .catch((error) => error.code),
  };
  await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
}

function Page() {
  const state = useExecution(id, token, { baseUrl });
  useEffect(() => {
    if (state.error)
      void fetch('/report', { method: 'POST', body: JSON.stringify({ error: String(state.error) }) });
    if (state.isEnded && state.output) {
      look(state).catch((error) =>
        fetch('/report', { method: 'POST', body: JSON.stringify({ error: String(error) }) }),
      );
    }
  }, [state]);
  return createElement('p', null, state.status);
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
