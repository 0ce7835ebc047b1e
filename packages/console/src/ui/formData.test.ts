import { expect, it } from '@jest/globals';
import { listIn, textIn } from './formData.ts';

const form = new FormData();
form.set('models', ' flux-dev,\n whisper  llama ');

it('a field gives its entries without what separates them', () => {
  expect(listIn(form, 'models')).toEqual(['flux-dev', 'whisper', 'llama']);
  expect(listIn(form, 'none')).toEqual([]);
  expect(textIn(form, 'none')).toBe('');
});
