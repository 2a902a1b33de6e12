import { Column } from 'typeorm';

/** The columns of what a row seals. Null: it seals nothing. */
export abstract class RowSeal {
  @Column('text', { nullable: true })
  secretKeyId!: string | null;

  @Column('bytea', { nullable: true })
  secretNonce!: Buffer | null;

  @Column('bytea', { nullable: true })
  secretCiphertext!: Buffer | null;

  @Column('bytea', { nullable: true })
  secretTag!: Buffer | null;
}

/** The columns of a row's one secret, sealed. Null: it has none. */
export abstract class RowSecret extends RowSeal {
  @Column('text', { nullable: true })
  secretPreview!: string | null;
}
