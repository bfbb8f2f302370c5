/** Numbers as text: patterns such as `#,##0.00` and `0%` that Java, spreadsheets and WireMock's `numberFormat` have in common. */

const PATTERN = /^([#,]*[0,]*)(?:\.(0{0,20})(#{0,20}))?(%?)$/;
const NAMED: Readonly<Record<string, string>> = { integer: '#,##0', percent: '#,##0%' };
const DEFAULT = '#,##0.###';
const CHARS_MAX = 60;

/** @returns Prints a finite number, a half to the even digit; undefined for another pattern. */
export function compileDecimalFormat(given = DEFAULT): ((value: number) => string) | undefined {
  const pattern = Object.hasOwn(NAMED, given) ? (NAMED[given] as string) : given;
  const [whole, left = '', zeros = '', hashes = '', percent = ''] = PATTERN.exec(pattern.slice(0, CHARS_MAX)) ?? [];
  if (whole !== pattern || !/[#0]/.test(left)) return undefined;
  const comma = left.lastIndexOf(',');
  const group = comma === -1 ? Infinity : left.length - comma - 1;
  if (group === 0) return undefined;
  const hasNoZero = !/0/.test(pattern) && pattern.includes('.');
  const least = hasNoZero ? 1 : left.replaceAll(/[^0]/g, '').length;
  const digits = zeros.length + hashes.length;
  return (value) => {
    const text = rounded(Math.abs(percent === '' ? value : value * 100), digits);
    const [integer = '0', fraction = ''] = text.split('.');
    const own = (integer === '0' ? '' : integer).padStart(least, '0');
    const cut = fraction.slice(0, zeros.length) + fraction.slice(zeros.length).replace(/0+$/, '');
    const shown = own === '' && cut === '' ? '0' : grouped(own, group);
    const sign = value < 0 && /[1-9]/.test(text) ? '-' : '';
    return `${sign}${shown}${cut === '' ? '' : `.${cut}`}${percent}`;
  };
}

function rounded(value: number, digits: number): string {
  const scale = 10 ** digits;
  const floor = Math.floor(value * scale);
  const isTie = value * scale - floor === 0.5;
  return (isTie && floor % 2 === 0 ? floor / scale : value).toFixed(digits);
}

function grouped(digits: string, size: number): string {
  let text = digits;
  let result = '';
  for (; text.length > size; text = text.slice(0, -size)) result = `,${text.slice(-size)}${result}`;
  return text + result;
}

/** A number as Java prints one: with an exponent from 10,000,000 on, and below a thousandth, unless it is whole. */
export function javaNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e-3 && size < 1e7)) return String(value);
  return withExponent(value);
}

/** Formats like `javaNumber`, for a number with a fraction, which may be 0. */
export function javaDouble(value: number): string {
  if (!Number.isInteger(value)) return javaNumber(value);
  return Math.abs(value) < 1e7 ? `${value}.0` : withExponent(value);
}

function withExponent(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
