/** Ranges of addresses: "10.0.0.0/8", "::1", several separated by commas. */
import { BlockList, isIP } from 'node:net';

/** @returns Whether an address is in one of the ranges; the reason why they are invalid. */
export function compileIpRanges(text: string): ((address: string) => boolean) | string {
  const list = new BlockList();
  for (const range of text.split(',').map((each) => each.trim())) {
    const [address = '', bits, ...more] = range.split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
    if (version === 0 || length > most || more.length > 0) {
      return `${JSON.stringify(range)} is neither an address nor a range such as 10.0.0.0/8`;
    }
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
