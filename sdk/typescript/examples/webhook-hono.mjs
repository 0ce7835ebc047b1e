// Receives webhooks with Hono.

import { honoHandler } from '@holdfast/sdk/webhooks';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post(
  '/hook',
  honoHandler({
    secret: process.env.WEBHOOK_SECRET,
    onEvent: (event) => console.log(event.type, event.id),
  }),
);
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () =>
  console.log('listening'),
);
