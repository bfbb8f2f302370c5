/** Which format a file has, by its content, or by its name where the content does not say. The first that claims it has it: the order is that of how much each asks for. */
import { isDetection, type Detection, type FormatName, type NearMiss } from '../format.ts';

/** Looks for the signs of a format in a content. */
export type Detect = (content: unknown, path?: string) => Detection | NearMiss | undefined;

/** A content that no format claims. */
interface Undetected {
  readonly problem: string;
}

export function detectFormat(
  content: unknown,
  formats: readonly { readonly name: FormatName; readonly detect: Detect }[],
  path?: string,
): Detection | Undetected {
  const near: NearMiss[] = [];
  for (const { detect } of formats) {
    const found = detect(content, path);
    if (found === undefined) continue;
    if (isDetection(found)) return found;
    near.push(found);
  }
  if (near.length > 0) {
    return { problem: `nearly ${near.map(({ format, missing }) => `${format} (${missing})`).join(', or ')}` };
  }
  const names = [...new Set(formats.map(({ name }) => name))].join(', ');
  return { problem: `unknown format; supported are ${names}` };
}
