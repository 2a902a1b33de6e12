import { types, type CustomTypesConfig } from 'pg';

/** The driver's type parsers, but for int8, which they would leave a text. */
export const exactTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === types.builtins.INT8 && format !== 'binary') return BigInt;
    return format === 'binary'
      ? types.getTypeParser(oid, 'binary')
      : types.getTypeParser(oid, 'text');
  },
};
