/** Seals bytes for each of the recipients, as text. Rejects if a recipient is unusable. */
export async function sealedWithAge(bytes: Uint8Array, recipients: readonly string[]): Promise<string> {
  const { armor, Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  // The library takes lower case only, and public keys are also written in upper case.
  for (const text of new Set(recipients.map((recipient) => recipient.toLowerCase()))) encrypter.addRecipient(text);
  return armor.encode(await encrypter.encrypt(bytes));
}
