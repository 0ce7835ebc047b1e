import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { flag, parseConfig, port } from './config.ts';

const shape = {
  PORT: port().default(8080).describe('a port'),
  SECRET: z.string().describe('a secret'),
  OPEN: flag().default(false).describe('a flag'),
};

describe('parseConfig', () => {
  it('reads variables and fills in defaults', () => {
    expect(parseConfig(shape, { SECRET: 's', OPEN: 'true' })).toEqual({
      PORT: 8080,
      SECRET: 's',
      OPEN: true,
    });
  });

  it('lists every problem at once, with the missing variables', () => {
    const check = () => ['OTHER is wrong'];
    expect(() => parseConfig(shape, { PORT: 'x', SECRET: '', OPEN: 'perhaps' }, [check])).toThrow(
      /PORT: [^]*SECRET is not set: a secret[^]*OPEN: [^]*OTHER is wrong/,
    );
  });
});
