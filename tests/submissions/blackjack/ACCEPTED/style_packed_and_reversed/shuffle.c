#include <stdio.h>
#include <stdlib.h>

typedef struct { unsigned char gesicht : 4, farbe : 2; } Karte;
typedef const char *Text;

#define letzte 51
#define zeige(x) _Generic((x), Karte: zeige_karte, Text: zeige_text)(x)

static Karte stapel[52]; /* stapel[0] is the top of the deck */

static void zeige_text(Text τ)
{
    fputs(τ, stdout);
}

static void zeige_karte(Karte κ)
{
    char zeile[8], *ende = zeile + sizeof zeile;
    *--ende = 0;
    *--ende = '\n';
    Text σ = (Text[]){"♣", "♦", "♥", "♠"}[κ.farbe];
    for (int i = 2; i >= 0; i--)
        *--ende = σ[i];
    switch (κ.gesicht) {
    case 10: *--ende = '0'; *--ende = '1'; break;
    case 11: *--ende = 'J'; *--ende = ' '; break;
    case 12: *--ende = 'Q'; *--ende = ' '; break;
    case 13: *--ende = 'K'; *--ende = ' '; break;
    case 14: *--ende = 'A'; *--ende = ' '; break;
    default: *--ende = (char)('0' + κ.gesicht); *--ende = ' ';
    }
    zeige((Text)ende);
}

int main(void)
{
    for (int größe = 0; größe < 52; größe++)
        stapel[letzte - größe] = (Karte){.gesicht = größe % 13 + 2, .farbe = größe / 13};
    zeige((Text) "Seed: ");
    char zeile[100];
    int saat = fgets(zeile, sizeof zeile, stdin) ? atoi(zeile) : 0;
    if (saat != 0) {
        srand(saat);
        for (int oben = 0; oben <= letzte; oben++) {
            int tausch = letzte - rand() % (52 - oben);
            Karte κ = stapel[oben];
            stapel[oben] = stapel[tausch];
            stapel[tausch] = κ;
        }
    }
    for (int i = letzte; i >= 0; i--)
        zeige(stapel[i]);
}
