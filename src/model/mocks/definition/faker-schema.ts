/** The setting `faker` of a mock: languages of made-up values. docs/templates.md. */
import { fakerLocale, FAKER_LOCALES } from '../../../languages/templates/faker-locales.ts';
import { Type } from '../../schema-type.ts';

export interface FakerSetting {
  /** The first that has a value, then English. */
  readonly locale: string | readonly string[];
  /** For BY_REQUEST: those that a request may ask for. */
  readonly locales?: readonly string[];
}

/** Requests choose by their header `Accept-Language`. */
export const BY_REQUEST = 'accept-language';

const LOCALES_MAX = 5;

export const fakerShape = Type.Unsafe<FakerSetting>({
  type: 'object',
  properties: {
    locale: {
      type: ['string', 'array'],
      items: { type: 'string', maxLength: 20 },
      minItems: 1,
      maxItems: LOCALES_MAX,
      maxLength: 20,
      description: `\`de\`, a list (the first that has a value, then English), or \`${BY_REQUEST}\`: the request's header chooses.`,
    },
    locales: {
      type: 'array',
      items: { type: 'string', maxLength: 20 },
      minItems: 1,
      maxItems: LOCALES_MAX,
      'x-item-name': 'locale',
      description: `For \`${BY_REQUEST}\`: those that a request may choose.`,
    },
  },
  required: ['locale'],
  additionalProperties: false,
  description: 'Languages of the values that `faker` makes. Default: English.',
});

export function checkFaker({ locale, locales }: FakerSetting, report: (path: string, problem: string) => void): void {
  const isByRequest = locale === BY_REQUEST;
  if (isByRequest && locales === undefined) report('', `\`${BY_REQUEST}\` needs \`locales\``);
  if (!isByRequest && locales !== undefined) report('/locales', `is for the locale \`${BY_REQUEST}\` alone`);
  const given: readonly (readonly [path: string, name: string])[] = [
    ...(isByRequest
      ? []
      : [locale].flat().map((name, index) => [Array.isArray(locale) ? `/locale/${index}` : '/locale', name] as const)),
    ...(locales ?? []).map((name, index) => [`/locales/${index}`, name] as const),
  ];
  for (const [path, name] of given) {
    if (fakerLocale(name) === undefined) report(path, `is not a locale of faker: one of ${FAKER_LOCALES.join(', ')}`);
  }
}
