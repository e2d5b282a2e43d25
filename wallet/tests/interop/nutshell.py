"""A wallet of Nutshell's, through the classes of its package, for the tests in `cashu/tests/foreign.rs`.

    fund SATS                                      invoices of a mint with fake Lightning are paid by themselves
    send SATS                                      prints a token
    receive TOKEN [KEY]                            signs what is locked, and prints what arrived
    lock SATS KEY COSIGN LOCKTIME REFUND [sign]    2-of-2: a public key, and a secret one that signs where it says so

FRLM_TEST_PEER_STATE: where its database is kept. FRLM_TEST_PEER_MINT: the mint. Needs the package `cashu` (0.20.2); its
command line makes no lock for two keys, which is why this does not call it.
"""

import asyncio
import os
import sys

from cashu.core.crypto.secp import PrivateKey
from cashu.core.helpers import sum_proofs
from cashu.core.secret import Tags
from cashu.wallet.helpers import deserialize_token_from_string, receive
from cashu.wallet.wallet import Wallet

MINT = os.environ["FRLM_TEST_PEER_MINT"]
STATE = os.environ["FRLM_TEST_PEER_STATE"]


async def open_wallet() -> Wallet:
    wallet = await Wallet.with_db(url=MINT, db=os.path.join(STATE, "nutshell"), name="peer", unit="sat")
    await wallet.load_mint()
    await wallet.load_proofs(reload=True)
    return wallet


async def fund(wallet: Wallet, sats: int) -> str:
    quote = await wallet.request_mint(sats)
    for _ in range(100):
        if (await wallet.get_mint_quote(quote.quote)).paid:
            break
        await asyncio.sleep(0.1)
    return str(sum_proofs(await wallet.mint(sats, quote_id=quote.quote)))


async def take(wallet: Wallet, text: str, key: str | None) -> str:
    if key:
        wallet.private_key = PrivateKey(bytes.fromhex(key))
    before = wallet.available_balance.amount
    await receive(wallet, deserialize_token_from_string(text))
    return str(wallet.available_balance.amount - before)


async def send(wallet: Wallet, sats: int, secret_lock=None):
    _, sent = await wallet.swap_to_send(
        wallet.proofs, sats, secret_lock=secret_lock, set_reserved=True
    )
    return sent


async def lock(wallet: Wallet, sats: int, key: str, cosign: str, locktime: str, refund: str, sign: bool) -> str:
    own = PrivateKey(bytes.fromhex(cosign))
    tags = Tags()
    tags["pubkeys"] = own.public_key.format().hex()
    tags["locktime"] = locktime
    tags["refund"] = refund
    secret = await wallet.create_p2pk_lock(key, tags=tags, n_sigs=2)
    sent = await send(wallet, sats, secret)
    if sign:
        wallet.private_key = own
        sent = wallet.add_witnesses_sig_inputs(sent)
    return await wallet.serialize_proofs(sent)


async def main() -> None:
    wallet = await open_wallet()
    command, *rest = sys.argv[1:]
    if command == "fund":
        print(await fund(wallet, int(rest[0])))
    elif command == "send":
        print(await wallet.serialize_proofs(await send(wallet, int(rest[0]))))
    elif command == "receive":
        print(await take(wallet, rest[0], rest[1] if len(rest) > 1 else None))
    elif command == "lock":
        print(await lock(wallet, int(rest[0]), *rest[1:5], len(rest) > 5))
    else:
        sys.exit(f"there is no command {command}")


asyncio.run(main())
