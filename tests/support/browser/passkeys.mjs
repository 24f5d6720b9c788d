// A device with passkeys, for a page of Chromium, which alone has one that tests can plug in.

/** Plugs in a device that has passkeys with secrets. `declines()` lets its user refuse from then on. */
export async function plugIn(page) {
  const session = await page.createCDPSession();
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { declines: () => session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false }) };
}
