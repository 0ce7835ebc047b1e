// Receives webhooks with Fastify.
import { fastifyPlugin } from '@holdfast/sdk/webhooks';
import fastify from 'fastify';

const app = fastify();
app.register(
  fastifyPlugin({
    path: '/hook',
    secret: process.env.WEBHOOK_SECRET,
    onEvent: (event) => console.log(event.type, event.id),
  }),
);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
console.log('listening');
