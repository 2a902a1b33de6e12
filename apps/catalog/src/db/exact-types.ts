import { types, type CustomTypesConfig } from 'pg';

/** The driver's type parsers, except that int8 becomes a bigint instead of text. */
export const exactTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === types.builtins.INT8 && format !== 'binary') return BigInt;
    return format === 'binary'
      ? types.getTypeParser(oid, 'binary')
      : types.getTypeParser(oid, 'text');
  },
};
