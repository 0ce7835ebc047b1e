import { expect, it } from '@jest/globals';
import { parseEnvironment } from './environment.ts';

it.each([
  ['production', { name: 'production', color: 'red' }],
  ['Live EU-1', { name: 'Live EU-1', color: 'red' }],
  ['staging', { name: 'staging', color: 'amber' }],
  ['dev', { name: 'dev', color: 'green' }],
  ['Frankfurt', { name: 'Frankfurt', color: 'blue' }],
  ['prod-copy:grey', { name: 'prod-copy', color: 'grey' }],
  ['prod:pink', null],
  [' prod', null],
  ['a'.repeat(25), null],
])('the environment %j is %j', (text, environment) => {
  expect(parseEnvironment(text)).toEqual(environment);
});
