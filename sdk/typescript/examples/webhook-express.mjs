// Receives webhooks with Express.
import { expressHandler } from '@holdfast/sdk/webhooks';
import express from 'express';

const app = express();
app.post(
  '/hook',
  expressHandler({
    secret: process.env.WEBHOOK_SECRET,
    onEvent: (event) => console.log(event.type, event.id),
  }),
);
app.use(express.json());
app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
