/** Decimal strings of at most 8 places, as the API has them, computed as whole numbers: amounts are never rounded. */
const places = 8;

function units(amount: string): bigint {
  const isNegative = amount.startsWith('-');
  const [whole = '', fraction = ''] = amount.replace(/^[+-]/, '').split('.');
  const size = BigInt(whole + fraction.padEnd(places, '0'));
  return isNegative ? -size : size;
}

function written(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -places)}.${fraction}`;
}

export const add = (amount: string, to: string): string => written(units(amount) + units(to));

export const subtract = (amount: string, by: string): string => written(units(amount) - units(by));

const maxLength = 24;

/** A reported cost can have hundreds of digits. */
export const brief = (amount: string): string => {
  if (amount.length <= maxLength) return amount;
  const [whole = ''] = amount.split('.');
  return `${whole[0]}.${whole.slice(1, 4)}e+${whole.length - 1}`;
};

/** For the height of a bar or a line only. */
export const share = (amount: string, of: string): number =>
  units(of) === 0n ? 0 : Number((units(amount) * 1_000_000n) / units(of)) / 1_000_000;
