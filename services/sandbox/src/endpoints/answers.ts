import type { Response } from 'express';
import type { z } from 'zod';

/** 422 in the words of Cog's framework: `{detail: [{loc, msg, type}]}`. */
export function invalid(response: Response, error: z.ZodError, below: string[]): null {
  const detail = error.issues.map(({ path, message, code }) => ({
    loc: ['body', ...below, ...path.map(String)],
    msg: message,
    type: code,
  }));
  response.status(422).json({ detail });
  return null;
}

export function notFound(response: Response): null {
  response.status(404).json({ detail: 'Not Found' });
  return null;
}
