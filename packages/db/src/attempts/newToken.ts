/** SQL of an attempt's token: 244 bits that nobody guesses. */
export const newToken = `replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`;
