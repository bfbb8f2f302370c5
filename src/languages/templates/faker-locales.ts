/** The locales that faker has words for, and how one is looked for by the name that people know it by. */

/** test/interchange/faker.test.ts compares them with the package. */
export const FAKER_LOCALES: readonly string[] =
  `af_ZA ar az bn_BD cs_CZ cy da de de_AT de_CH dv el en en_AU en_AU_ocker en_BORK en_CA en_GB en_GH en_HK en_IE en_IN
  en_NG en_NP en_US en_ZA eo es es_MX fa fi fr fr_BE fr_CA fr_CH fr_LU fr_SN he hr hu hy id_ID it ja ka_GE ko ku_ckb
  ku_kmr_latin lv mk mn_MN_cyrl nb_NO ne nl nl_BE pl pt_BR pt_PT ro ro_MD ru sk sl_SI sr_RS_latin sv ta_IN th tr uk ur
  uz_UZ_latin vi yo_NG zh_CN zh_TW zu_ZA`.split(/\s+/);

const byName = new Map(FAKER_LOCALES.map((name) => [name.toLowerCase(), name]));

/** @param text "de", "nl_NL" or "nl-NL". @returns The locale itself, else that of its language; undefined where there is neither. */
export function fakerLocale(text: string): string | undefined {
  const name = text.trim().toLowerCase().replaceAll('-', '_');
  const [language = ''] = name.split('_');
  return byName.get(name) ?? byName.get(language) ?? FAKER_LOCALES.find((each) => each.startsWith(`${language}_`));
}

/**
 * Locales that a header `Accept-Language` asks for, the preferred one first.
 *
 * @param offered Those that may be chosen.
 */
export function acceptedLocales(header: string, offered: readonly string[]): string[] {
  const ranges = header.split(',', RANGES_MAX).map((range) => {
    const [tag = '', ...parameters] = range.split(';');
    const quality = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1]).find(Boolean);
    return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
  });
  const wanted = ranges.filter(({ quality }) => quality > 0).toSorted((one, other) => other.quality - one.quality);
  return wanted.flatMap(({ tag }) => {
    const locale = fakerLocale(tag);
    const [language] = tag.toLowerCase().split('-');
    return offered.filter((each) => each === locale || each.toLowerCase().split('_')[0] === language);
  });
}

/** Ranges of a header that are read. */
const RANGES_MAX = 20;
