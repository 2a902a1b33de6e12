/** Check digits of numbers that people and accounts have. All take digits, or digits and capital letters. */

/** ISO/IEC 7812, of payment cards. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 13616, of bank accounts. */
export function passesIban(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const code = character.charCodeAt(0);
    rest = code <= 57 ? (rest * 10 + code - 48) % 97 : (rest * 100 + code - 55) % 97;
  }
  return rest === 1;
}

/** The letter of a Spanish DNI, and of a NIE with its first letter as a digit. */
export function passesDni(digits: string, letter: string): boolean {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === letter;
}

/** A Brazilian CPF. */
export function passesCpf(digits: string): boolean {
  if (/^(\d)\1*$/.test(digits)) return false;
  return [9, 10].every((length) => {
    let sum = 0;
    for (let at = 0; at < length; at += 1) sum += Number(digits[at]) * (length + 1 - at);
    return ((sum * 10) % 11) % 10 === Number(digits[length]);
  });
}

/** A French NIR with its key; Corsica has letters. */
export function passesNir(nir: string): boolean {
  const digits = nir.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return Number(97n - (BigInt(digits) % 97n)) === Number(nir.slice(13));
}

const ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** An Italian codice fiscale. */
export function passesCodiceFiscale(code: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at += 1) {
    const unit = code.charCodeAt(at);
    const value = unit <= 57 ? unit - 48 : unit - 65;
    sum += at % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return code.charCodeAt(15) === 65 + (sum % 26);
}
