import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../entities/user.entity';

/** The answer given to a POST with an Idempotency-Key, so that a repeat gets the same one. */
@Entity('idempotency_key')
@Index(['expiresAt'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class IdempotencyKey {
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('text')
  key!: string;

  @Column('text')
  method!: string;

  @Column('text')
  path!: string;

  /** The same key with another body is refused. Made with a key: a body may hold a password. */
  @Column('bytea')
  requestSha256!: Buffer;

  /** Null while the first request is still at work. */
  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('jsonb', { nullable: true })
  response!: unknown;

  @Column('timestamptz')
  expiresAt!: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
