import type { BodyLeftOut } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { Organisation } from '../entities/organisation.entity';
import { RowSeal } from '../entities/row-secret';

/** The bodies of one request. Without content: why there is none. */
@Entity('kept_body')
@Index(['organisationId', 'at'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('kept_body_secret_check', '(secret_ciphertext IS NOT NULL) = (request_kept OR answer_kept)')
export class KeptBody extends RowSeal {
  /** Of the request. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  /** When the request arrived. */
  @Column('timestamptz')
  at!: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  keptAt!: Date;

  @Column('boolean')
  requestKept!: boolean;

  @Column('text', { nullable: true })
  requestLeftOut!: BodyLeftOut | null;

  @Column('boolean')
  answerKept!: boolean;

  @Column('text', { nullable: true })
  answerLeftOut!: BodyLeftOut | null;

  /** The answer ended before it was complete. */
  @Column('boolean')
  answerPartial!: boolean;

  @Column('jsonb')
  masked!: { label: string; count: number }[];
}
