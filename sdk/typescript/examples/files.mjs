// A file in, a file out: draws an image, saves it, and makes it smaller.
import { file, Holdfast } from '@holdfast/sdk';

const client = new Holdfast();
const drawn = await client.run('sandbox-image', { prompt: 'A lighthouse at dawn' });
await drawn.output.images[0].save('lighthouse.png');

const { output } = await client.run('image-transform', { source_image: file('lighthouse.png'), width: 64 });
await output.images[0].save('small.png');
console.log(`saved small.png, ${output.images[0].width} pixels wide`);
